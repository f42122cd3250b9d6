/* A second wait on a copy of a request that has completed.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Wait at {here} in main: the request 0x[0-9a-f]+ has been completed or freed already
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request q, copy;
        MPI_Irecv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
        copy = q;
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        MPI_Wait(&copy, MPI_STATUS_IGNORE); /* here */
    } else {
        MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
