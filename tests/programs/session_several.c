/* Several sessions at once, one after the other, and beside MPI_Init and MPI_Finalize. */
#include "session.h"

int main(int argc, char **argv)
{
    MPI_Session first, second, late;
    MPI_Comm one, two, own;
    int flag, value, sum;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    CHECK(first != second);
    one = comm_of(first, "mpi://WORLD", "one");
    two = comm_of(second, "mpi://WORLD", "two");
    own = comm_of(second, "mpi://SELF", "own");
    MPI_Comm_rank(one, &rank);
    MPI_Comm_size(one, &size);
    /* Messages of one communicator stay in it. */
    int right = (rank + 1) % size, left = (rank + size - 1) % size, a = 100 + rank, b = 200 + rank, x, y;
    MPI_Request requests[2];
    MPI_Irecv(&x, 1, MPI_INT, left, 0, one, &requests[0]);
    MPI_Irecv(&y, 1, MPI_INT, left, 0, two, &requests[1]);
    MPI_Send(&b, 1, MPI_INT, right, 0, two);
    MPI_Send(&a, 1, MPI_INT, right, 0, one);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("rank %d: %d %d\n", rank, x, y);
    MPI_Comm_size(own, &value);
    say("rank %d: own %d\n", rank, value);
    MPI_Comm_free(&own);
    MPI_Comm_free(&two);
    MPI_Session_finalize(&second);

    MPI_Initialized(&flag);
    CHECK(!flag);
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    CHECK(value == size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("rank %d: world %d\n", rank, sum);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &late);
    two = comm_of(late, "mpi://WORLD", "late");
    MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_MAX, two);
    say("rank %d: late %d\n", rank, sum);
    MPI_Comm_free(&two);
    MPI_Session_finalize(&late);
    int code = report(one);
    MPI_Comm_free(&one);
    MPI_Session_finalize(&first);
    MPI_Finalize();
    return code;
}
