/* Everything in which the binary interfaces differ: constants, handles, statuses, callbacks. Checks them against each other by the
 * names that this MPI's mpi.h has for them; prints the number of checks and each one that fails. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures, rank, size;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        checks++;                                                                          \
        if (!(condition)) {                                                                \
            failures++;                                                                    \
            printf("rank %d, line %d: not %s\n", rank, __LINE__, #condition);              \
        }                                                                                  \
    } while (0)

static void handles(void)
{
    MPI_Comm dup, null = MPI_COMM_NULL;
    int result;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_IDENT);
    MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(dup)) == dup);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(null)) == MPI_COMM_NULL);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
    MPI_Comm_free(&dup);
    CHECK(dup == MPI_COMM_NULL);
    MPI_Comm_get_parent(&null);
    CHECK(null == MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &null);
    CHECK(null == MPI_COMM_NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &dup);
    CHECK(dup != MPI_COMM_NULL);
    MPI_Comm_free(&dup);
}

static void groups(void)
{
    MPI_Group world, self;
    int ranks[2] = {rank, MPI_PROC_NULL}, translated[2], result;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Group_translate_ranks(world, 2, ranks, self, translated);
    CHECK(translated[0] == 0 && translated[1] == MPI_PROC_NULL);
    ranks[0] = (rank + 1) % size;
    MPI_Group_translate_ranks(world, 1, ranks, self, translated);
    CHECK(translated[0] == (size == 1 ? 0 : MPI_UNDEFINED));
    MPI_Group_compare(world, self, &result);
    CHECK(result == (size == 1 ? MPI_IDENT : MPI_UNEQUAL));
    MPI_Group_free(&world);
    MPI_Group_free(&self);
    CHECK(self == MPI_GROUP_NULL);
}

static void statuses(void)
{
    int out[3] = {rank, rank + 1, rank + 2}, in[3], count, flag, index, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request requests[6];
    MPI_Status all[6], status;
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[3 + i]);
    }
    MPI_Waitall(6, requests, all);
    for (int i = 0; i < 3; i++) {
        MPI_Get_count(&all[i], MPI_INT, &count);
        CHECK(all[i].MPI_SOURCE == left && all[i].MPI_TAG == i && count == 1 && in[i] == left + i);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    MPI_Waitany(6, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag);
    MPI_Irecv(in, 1, MPI_INT, left, 99, MPI_COMM_WORLD, requests);
    MPI_Cancel(requests);
    MPI_Wait(requests, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Sendrecv(out, 3, MPI_INT, right, 5, in, 3, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
    MPI_Fint in_fortran[64];
    MPI_Status back;
    status.MPI_TAG = 17;
    CHECK(MPI_Status_c2f(&status, in_fortran) == MPI_SUCCESS && MPI_Status_f2c(in_fortran, &back) == MPI_SUCCESS);
    CHECK(back.MPI_TAG == 17);
    MPI_Status_set_elements(&back, MPI_DOUBLE, 7);
    MPI_Get_elements(&back, MPI_DOUBLE, &count);
    CHECK(count == 7);
}

static int handled_code;
static MPI_Comm handled_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled_comm = *comm;
    handled_code = *code;
}

static void errors(void)
{
    int class, length, *last, flag, added, code, x = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Errhandler own, old;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_COUNT);
    MPI_Error_class(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_RANK);
    MPI_Error_class(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_TYPE);
    MPI_Error_class(MPI_Send(&x, 1, MPI_INT, 0, -17, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_TAG);
    MPI_Error_class(MPI_Bcast(&x, 1, MPI_INT, size + 3, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_ROOT || class == MPI_ERR_RANK);
    MPI_Error_class(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), &class);
    CHECK(class == MPI_ERR_COMM);
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    CHECK(length == (int)strlen(text) && length > 0);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
    CHECK(old == own);
    int returned = MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    MPI_Error_class(handled_code, &class);
    CHECK(class == MPI_ERR_RANK && handled_comm == MPI_COMM_WORLD && returned != MPI_SUCCESS);
    MPI_Add_error_class(&added);
    CHECK(added > MPI_ERR_LASTCODE);
    MPI_Add_error_code(added, &code);
    MPI_Error_class(code, &class);
    CHECK(class == added);
    MPI_Add_error_string(code, "mine");
    MPI_Error_string(code, text, &length);
    CHECK(!strcmp(text, "mine"));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last >= code);
    handled_code = 0;
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    CHECK(handled_code == code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&own);
    CHECK(own == MPI_ERRHANDLER_NULL);
}

static int copied, deleted, seen_key;
static MPI_Comm seen_comm;

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    seen_comm = comm;
    seen_key = key;
    copied += *(int *)state;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

static int refused;

static int refuse(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    return refused++ ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void attributes(void)
{
    int key, dup_key, null_key, flag, state = 3, *value, class;
    MPI_Comm dup;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    CHECK(!flag || *value == MPI_PROC_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    CHECK(!flag || *value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL || *value >= 0);
    MPI_Comm_create_keyval(copy, delete, &key, &state);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &state);
    MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, &flag);
    MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, &key);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(copied == 3 && seen_comm == MPI_COMM_WORLD && seen_key == key);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    CHECK(flag && value == &state);
    MPI_Comm_get_attr(dup, dup_key, &value, &flag);
    CHECK(flag && value == &flag);
    MPI_Comm_get_attr(dup, null_key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_free(&dup);
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, null_key);
    CHECK(deleted == 2);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free_keyval(&dup_key);
    MPI_Comm_free_keyval(&null_key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Error_class(MPI_Comm_delete_attr(MPI_COMM_SELF, key), &class);
    CHECK(class == MPI_ERR_OTHER);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static MPI_Datatype seen_type, expected_type;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    seen_type = *type;
    for (int i = 0; i < *count; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static void operators(void)
{
    MPI_Op op;
    int x = 1, sum, commutes;
    MPI_Op_create(add, 1, &op);
    seen_type = MPI_DATATYPE_NULL;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == size);
    MPI_Reduce_local(&x, &sum, 1, MPI_INT, op);
    CHECK(sum == size + 1 && seen_type == MPI_INT);
    MPI_Type_contiguous(1, MPI_INT, &expected_type);
    MPI_Type_commit(&expected_type);
    MPI_Reduce_local(&x, &sum, 1, expected_type, op);
    CHECK(seen_type == expected_type);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(sum == size + 2);
    MPI_Op_commutative(MPI_SUM, &commutes);
    CHECK(commutes);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
    MPI_Type_free(&expected_type);
    CHECK(expected_type == MPI_DATATYPE_NULL);
}

static void datatypes(void)
{
    int sizes[2] = {4, 5}, parts[2] = {2, 3}, starts[2] = {1, 1}, integers[32], ni, na, nd, combiner, extent;
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1};
    int grid[2] = {1, 1};
    MPI_Aint addresses[8];
    MPI_Datatype type, inside[4];
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_SUBARRAY && ni == 8 && nd == 1);
    MPI_Type_get_contents(type, ni, na, nd, integers, addresses, inside);
    CHECK(integers[7] == MPI_ORDER_FORTRAN && inside[0] == MPI_INT && integers[3] == 2);
    MPI_Type_free(&type);
    MPI_Type_create_darray(1, 0, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_DARRAY);
    MPI_Type_get_contents(type, ni, na, nd, integers, addresses, inside);
    CHECK(integers[5] == MPI_DISTRIBUTE_BLOCK && integers[6] == MPI_DISTRIBUTE_CYCLIC && integers[7] == MPI_DISTRIBUTE_DFLT_DARG);
    CHECK(integers[ni - 1] == MPI_ORDER_C && inside[0] == MPI_DOUBLE);
    MPI_Type_free(&type);
    MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_NAMED);
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_size(type, &extent);
    CHECK(extent == 12);
    MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner);
    MPI_Type_get_contents(type, ni, na, nd, integers, addresses, inside);
    CHECK(combiner == MPI_COMBINER_STRUCT && inside[0] == MPI_INT && inside[1] == MPI_DOUBLE && addresses[1] == 8);
    MPI_Type_free(&type);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    MPI_Type_size(type, &extent);
    CHECK(extent == 8);
    const MPI_Datatype all[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_BYTE,
                                MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_INT8_T, MPI_INT16_T,
                                MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_C_BOOL,
                                MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_2INT, MPI_AINT, MPI_WCHAR};
    const int bytes[] = {1, 2, 4, 8, 8, 4, 8, 16, 1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16, 8, 12, 8, 8, 4};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        MPI_Type_size(all[i], &extent);
        CHECK(extent == bytes[i]);
    }
}

static void topologies(void)
{
    MPI_Comm cart, ring;
    int dims[1] = {size}, periods[1] = {0}, kind, source, dest, neighbours[2] = {(rank + size - 1) % size, (rank + 1) % size};
    int in[2], weights[2] = {-1, -1}, ones[2] = {1, 1}, zeros[2] = {0, 0};
    MPI_Aint places[2] = {0, sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
    MPI_Topo_test(cart, &kind);
    CHECK(kind == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    MPI_Cart_shift(cart, 0, 1, &source, &dest);
    CHECK(source == (rank == 0 ? MPI_PROC_NULL : rank - 1) && dest == (rank == size - 1 ? MPI_PROC_NULL : rank + 1));
    MPI_Comm_free(&cart);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, MPI_UNWEIGHTED, 2, neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Topo_test(ring, &kind);
    CHECK(kind == MPI_DIST_GRAPH);
    int indegree, outdegree, weighted;
    MPI_Dist_graph_neighbors_count(ring, &indegree, &outdegree, &weighted);
    CHECK(indegree == 2 && outdegree == 2 && !weighted);
    MPI_Dist_graph_neighbors(ring, 2, in, weights, 2, in, MPI_UNWEIGHTED);
    CHECK(in[0] == neighbours[0] && in[1] == neighbours[1]);
    int mine[2] = {rank, rank};
    MPI_Neighbor_alltoallw(mine, ones, places, types, in, ones, places, types, ring);
    CHECK(size == 1 || (in[0] == neighbours[0] && in[1] == neighbours[1]));
    (void)zeros;
    MPI_Comm_free(&ring);
}

static void collectives(void)
{
    int *send = malloc(size * sizeof(int)), *recv = malloc(size * sizeof(int)), *ones = malloc(size * sizeof(int)),
        *places = malloc(size * sizeof(int));
    MPI_Datatype *types = malloc(size * sizeof(MPI_Datatype));
    MPI_Request request;
    for (int i = 0; i < size; i++) {
        send[i] = 100 * rank + i;
        ones[i] = 1;
        places[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Alltoallw(send, ones, places, types, recv, ones, places, types, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        CHECK(recv[i] == 100 * i + rank);
    }
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, send, ones, places, types, MPI_COMM_WORLD);
    MPI_Ialltoallw(recv, ones, places, types, places, ones, places, types, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++) {
        CHECK(send[i] == 100 * i + rank);
    }
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : send, 1, MPI_INT, recv, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(send), free(recv), free(ones), free(places), free(types);
}

static void environment(int provided)
{
    char name[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_LIBRARY_VERSION_STRING], object[MPI_MAX_OBJECT_NAME];
    int length, level, version, subversion, flag;
    MPI_Query_thread(&level);
    CHECK(level == provided);
    CHECK(level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED || level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE);
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name));
    MPI_Get_library_version(text, &length);
    CHECK(length == (int)strlen(text) && strstr(text, "mpirage"));
    MPI_Get_version(&version, &subversion);
    CHECK(version >= 4);
    MPI_Comm_get_name(MPI_COMM_WORLD, object, &length);
    CHECK(!strcmp(object, "MPI_COMM_WORLD"));
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "blue");
    MPI_Info_get_nthkey(info, 0, key);
    MPI_Info_get(info, "colour", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && !strcmp(key, "colour") && !strcmp(value, "blue"));
    MPI_Info_free(&info);
    CHECK(info == MPI_INFO_NULL);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    handles();
    groups();
    statuses();
    errors();
    attributes();
    operators();
    datatypes();
    topologies();
    collectives();
    environment(provided);
    int total[2] = {checks, failures};
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : total, total, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d checks, %d failures\n", total[0], total[1]);
    }
    MPI_Finalize();
    return failures != 0;
}
