/* A send to a rank that does not exist.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Send at {here} in main: dest is 5, but MPI_COMM_WORLD has 2 ranks
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 5, 0, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
