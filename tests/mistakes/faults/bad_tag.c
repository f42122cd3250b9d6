/* A negative tag.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Send at {here} in main: tag is -3
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, -3, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
