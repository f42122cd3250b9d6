/* What a failing call leaves in the place of the handle that it would have made: nothing if an argument is bad, a null handle
 * if making the object fails. The statuses of requests that are null or inactive. */
#include "check.h"

static int refuse(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy, (void)flag;
    return MPI_ERR_OTHER;
}

static int refuse_type(MPI_Datatype type, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)type, (void)key, (void)extra, (void)value, (void)copy, (void)flag;
    return MPI_ERR_OTHER;
}

/* The classes that are asked for here, by name: their numbers differ between implementations. */
static const char *name_of(int error_class)
{
    static const struct { int number; const char *name; } names[] = {
        {MPI_SUCCESS, "success"}, {MPI_ERR_COMM, "comm"}, {MPI_ERR_GROUP, "group"}, {MPI_ERR_ARG, "arg"},
        {MPI_ERR_COUNT, "count"}, {MPI_ERR_TYPE, "type"}, {MPI_ERR_RANK, "rank"}, {MPI_ERR_TAG, "tag"},
        {MPI_ERR_ROOT, "root"}, {MPI_ERR_OP, "op"}, {MPI_ERR_TOPOLOGY, "topology"}, {MPI_ERR_DIMS, "dims"},
        {MPI_ERR_OTHER, "other"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == error_class) return names[i].name;
    return "unknown";
}

static void tell(const char *what, int code, int is_null, int unchanged)
{
    int error_class;
    MPI_Error_class(code, &error_class);
    say("%d %s: %s, %s\n", rank, what, name_of(error_class), is_null ? "null" : unchanged ? "unchanged" : "something else");
}

#define COMM(call)                                                                     \
    do {                                                                               \
        MPI_Comm out = MPI_COMM_SELF;                                                  \
        int code = call;                                                               \
        tell(#call, code, out == MPI_COMM_NULL, out == MPI_COMM_SELF);                 \
    } while (0)
#define TYPE(call)                                                                     \
    do {                                                                               \
        MPI_Datatype out = MPI_INT;                                                    \
        int code = call;                                                               \
        tell(#call, code, out == MPI_DATATYPE_NULL, out == MPI_INT);                   \
    } while (0)
#define REQUEST(call)                                                                  \
    do {                                                                               \
        MPI_Request out = pending;                                                     \
        int code = call;                                                               \
        tell(#call, code, out == MPI_REQUEST_NULL, out == pending);                    \
    } while (0)
#define GROUP(call)                                                                    \
    do {                                                                               \
        MPI_Group out = MPI_GROUP_EMPTY;                                               \
        int code = call;                                                               \
        tell(#call, code, out == MPI_GROUP_NULL, out == MPI_GROUP_EMPTY);              \
    } while (0)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int value = 0, dims[] = {1000000}, periods[] = {0}, bad[] = {size + 7}, negative[] = {-3}, subs[] = {5};
    MPI_Aint displacements[] = {0};
    MPI_Datatype no_type[] = {MPI_DATATYPE_NULL};
    MPI_Group everybody;
    MPI_Request pending;
    MPI_Comm_group(world, &everybody);
    MPI_Irecv(&value, 1, MPI_INT, rank, 99, world, &pending);

    COMM(MPI_Comm_dup(MPI_COMM_NULL, &out));
    COMM(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &out));
    COMM(MPI_Comm_create(world, MPI_GROUP_NULL, &out));
    COMM(MPI_Comm_create_group(world, MPI_GROUP_NULL, 0, &out));
    COMM(MPI_Cart_create(world, 1, dims, periods, 0, &out));
    COMM(MPI_Cart_create(world, -1, dims, periods, 0, &out));
    COMM(MPI_Cart_sub(world, periods, &out));

    TYPE(MPI_Type_contiguous(-1, MPI_INT, &out));
    TYPE(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &out));
    TYPE(MPI_Type_vector(-1, 1, 1, MPI_INT, &out));
    TYPE(MPI_Type_vector(1, -1, 1, MPI_INT, &out));
    TYPE(MPI_Type_create_hvector(1, 1, 1, MPI_DATATYPE_NULL, &out));
    TYPE(MPI_Type_indexed(1, negative, subs, MPI_INT, &out));
    TYPE(MPI_Type_create_indexed_block(-1, 1, subs, MPI_INT, &out));
    TYPE(MPI_Type_create_hindexed(-1, subs, displacements, MPI_INT, &out));
    TYPE(MPI_Type_create_struct(1, subs, displacements, no_type, &out));
    TYPE(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 8, &out));
    TYPE(MPI_Type_dup(MPI_DATATYPE_NULL, &out));

    REQUEST(MPI_Isend(&value, 1, MPI_INT, size + 5, 0, world, &out));
    REQUEST(MPI_Isend(&value, -1, MPI_INT, 0, 0, world, &out));
    REQUEST(MPI_Issend(&value, 1, MPI_DATATYPE_NULL, 0, 0, world, &out));
    REQUEST(MPI_Irecv(&value, 1, MPI_INT, size + 5, 0, world, &out));
    REQUEST(MPI_Irecv(&value, 1, MPI_INT, 0, -50, world, &out));
    REQUEST(MPI_Send_init(&value, 1, MPI_INT, size + 5, 0, world, &out));
    REQUEST(MPI_Recv_init(&value, -1, MPI_INT, 0, 0, world, &out));
    REQUEST(MPI_Ibarrier(MPI_COMM_NULL, &out));
    REQUEST(MPI_Ibcast(&value, 1, MPI_INT, size + 5, world, &out));
    REQUEST(MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, world, &out));

    int key, index[] = {0};
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    COMM(MPI_Comm_dup(MPI_COMM_SELF, &out));
    COMM(MPI_Comm_dup_with_info(MPI_COMM_SELF, MPI_INFO_NULL, &out));
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_create_keyval(refuse_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_set_attr(three, key, &value);
    TYPE(MPI_Type_dup(three, &out));
    MPI_Type_free(&three);
    MPI_Type_free_keyval(&key);
    COMM(MPI_Graph_create(world, 1000000, index, index, 0, &out));

    GROUP(MPI_Comm_group(MPI_COMM_NULL, &out));
    GROUP(MPI_Group_incl(everybody, 1, bad, &out));
    GROUP(MPI_Group_excl(everybody, 1, negative, &out));
    GROUP(MPI_Group_union(everybody, MPI_GROUP_NULL, &out));

    MPI_Op op = MPI_SUM;
    int code = MPI_Op_create(NULL, 1, &op);
    tell("MPI_Op_create(NULL)", code, op == MPI_OP_NULL, op == MPI_SUM);

    int flag = -1;
    MPI_Status status;
    memset(&status, 77, sizeof status);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
    int count = -1, cancelled = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &cancelled);
    say("%d null request: flag %d, %s, %s, count %d, cancelled %d\n", rank, flag,
        status.MPI_SOURCE == MPI_ANY_SOURCE ? "any source" : "a source", status.MPI_TAG == MPI_ANY_TAG ? "any tag" : "a tag",
        count, cancelled);
    flag = -1;
    code = MPI_Request_get_status(MPI_REQUEST_NULL, &flag, MPI_STATUS_IGNORE);
    say("%d null request without a status: code %d, flag %d\n", rank, code, flag);
    MPI_Request persistent;
    MPI_Recv_init(&value, 1, MPI_INT, rank, 5, world, &persistent);
    memset(&status, 77, sizeof status);
    flag = -1;
    MPI_Request_get_status(persistent, &flag, &status);
    say("%d inactive request: flag %d, %s, %s\n", rank, flag, status.MPI_SOURCE == MPI_ANY_SOURCE ? "any source" : "a source",
        status.MPI_TAG == MPI_ANY_TAG ? "any tag" : "a tag");
    MPI_Request_free(&persistent);

    int sent = 1;
    MPI_Send(&sent, 1, MPI_INT, rank, 99, world);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Group_free(&everybody);
    return finish();
}
