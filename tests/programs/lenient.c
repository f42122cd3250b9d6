/* Things that look like mistakes and are allowed, and mistakes that leave everything well defined. */
#include "check.h"

static int deleted;

static int forget(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

/* A freed key lives as long as an attribute under it does. */
static void freed_key(void)
{
    int key, same, flag, *value, word = 3;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    MPI_Comm_set_attr(comm, key, &word);
    same = key;
    MPI_Comm_free_keyval(&key);
    MPI_Comm_get_attr(comm, same, &value, &flag);
    CHECK(flag && value == &word);
    MPI_Comm_delete_attr(comm, same);
    CHECK(deleted == 1);
    MPI_Comm_free(&comm);
    CHECK(deleted == 1);
}

/* Nobody looks at what comes from nobody. */
static void nobody(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A message too long for one of two receives: both are over, and the statuses tell which went wrong. */
static void one_of_two(void)
{
    int in[3] = {0}, out[3] = {1, 2, 3}, flag = 0, code, class;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + 1, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, rank, 2, MPI_COMM_WORLD);
    do code = MPI_Testall(2, requests, &flag, statuses);
    while (code == MPI_SUCCESS && !flag);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_IN_STATUS && flag);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && in[0] == 1);
    MPI_Error_class(statuses[1].MPI_ERROR, &class);
    CHECK(class == MPI_ERR_TRUNCATE);
}

/* One buffer is not both ends of a collective. */
static void one_buffer(void)
{
    int *words = calloc(2 * size, sizeof *words), class;
    MPI_Error_class(MPI_Allreduce(words, words, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_BUFFER);
    MPI_Error_class(MPI_Alltoall(words, 1, MPI_INT, words, 1, MPI_INT, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_BUFFER);
    MPI_Error_class(MPI_Exscan(words, words, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_BUFFER);
    MPI_Error_class(MPI_Reduce_local(MPI_IN_PLACE, words, 1, MPI_INT, MPI_SUM), &class);
    CHECK(class == MPI_ERR_BUFFER);
    free(words);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    freed_key();
    nobody();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    one_of_two();
    one_buffer();
    say("%d is done\n", rank);
    return finish();
}
