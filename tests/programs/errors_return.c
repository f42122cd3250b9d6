/* With ERRORS_RETURN a mistake comes back as an error code, whose class is the same on every MPI. */
#include "check.h"

static const char *class_name(int class)
{
    switch (class) {
    case MPI_SUCCESS: return "success";
    case MPI_ERR_BUFFER: return "buffer";
    case MPI_ERR_COUNT: return "count";
    case MPI_ERR_TYPE: return "type";
    case MPI_ERR_TAG: return "tag";
    case MPI_ERR_COMM: return "comm";
    case MPI_ERR_RANK: return "rank";
    case MPI_ERR_ROOT: return "root";
    case MPI_ERR_GROUP: return "group";
    case MPI_ERR_OP: return "op";
    case MPI_ERR_ARG: return "arg";
    case MPI_ERR_TRUNCATE: return "truncate";
    case MPI_ERR_KEYVAL: return "keyval";
    default: return "another";
    }
}

static void show(const char *what, int code, int expected)
{
    int class = -1, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    CHECK(class == expected && length > 0 && (int)strlen(text) == length);
    if (rank == 0) say("%s: %s\n", what, class_name(class));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int v[4] = {0}, w[4], *tag_ub, flag;
    MPI_Status s;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_get_attr(world, MPI_TAG_UB, &tag_ub, &flag);

    show("nothing wrong", MPI_SUCCESS, MPI_SUCCESS);
    show("send to rank size", MPI_Send(v, 1, MPI_INT, size, 0, world), MPI_ERR_RANK);
    show("send to rank -77", MPI_Send(v, 1, MPI_INT, -77, 0, world), MPI_ERR_RANK);
    show("receive from rank size", MPI_Recv(v, 1, MPI_INT, size, 0, world, &s), MPI_ERR_RANK);
    show("negative tag", MPI_Send(v, 1, MPI_INT, rank, -5, world), MPI_ERR_TAG);
    show("any tag in a send", MPI_Send(v, 1, MPI_INT, rank, MPI_ANY_TAG, world), MPI_ERR_TAG);
    if (*tag_ub < 2147483647) CHECK(MPI_Send(v, 1, MPI_INT, rank, *tag_ub + 1, world) != MPI_SUCCESS);
    show("negative count", MPI_Send(v, -1, MPI_INT, rank, 0, world), MPI_ERR_COUNT);
    show("null type", MPI_Send(v, 1, MPI_DATATYPE_NULL, rank, 0, world), MPI_ERR_TYPE);
    show("null communicator", MPI_Send(v, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    show("size of nothing", MPI_Comm_size(MPI_COMM_NULL, &flag), MPI_ERR_COMM);
    show("bad root", MPI_Bcast(v, 1, MPI_INT, size, world), MPI_ERR_ROOT);
    show("null operation", MPI_Allreduce(v, w, 1, MPI_INT, MPI_OP_NULL, world), MPI_ERR_OP);
    MPI_Datatype raw;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    show("uncommitted type", MPI_Send(v, 1, raw, rank, 0, world), MPI_ERR_TYPE);
    MPI_Type_free(&raw);
    MPI_Group none = MPI_GROUP_NULL;
    show("null group", MPI_Group_size(none, &flag), MPI_ERR_GROUP);

    /* Truncation: found by the receiver, the message is consumed, life goes on. */
    MPI_Request q;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Isend(v, 4, MPI_INT, next, 1, world, &q);
    show("truncation", MPI_Recv(w, 2, MPI_INT, previous, 1, world, &s), MPI_ERR_TRUNCATE);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, w, 1, MPI_INT, previous, 1, world, &s);
    CHECK(w[0] == previous);

    /* In a Waitall the error is in the status, and the call says so. */
    MPI_Request two[2];
    MPI_Status both[2];
    MPI_Irecv(w, 4, MPI_INT, previous, 2, world, &two[0]);
    MPI_Irecv(w, 1, MPI_INT, previous, 3, world, &two[1]);
    MPI_Barrier(world);
    MPI_Send(v, 4, MPI_INT, next, 2, world);
    MPI_Send(v, 4, MPI_INT, next, 3, world);
    int class, code = MPI_Waitall(2, two, both);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_IN_STATUS && both[0].MPI_ERROR == MPI_SUCCESS);
    MPI_Error_class(both[1].MPI_ERROR, &class);
    CHECK(class == MPI_ERR_TRUNCATE);
    return finish();
}
