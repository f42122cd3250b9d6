/* A datatype used before it is committed.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Send at {here} in main: the datatype is not committed
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v[4] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (rank == 0) MPI_Send(v, 1, pair, 1, 0, MPI_COMM_WORLD); /* here */
    else MPI_Recv(v, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
