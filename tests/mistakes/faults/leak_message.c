/* A message that nobody receives.
 *
 * ranks: 2
 * exit: 0
 * stderr: at the end of the run, a message of 4 bytes from rank 0 to rank 1 \(tag 9, MPI_COMM_WORLD\), sent by MPI_Send at {here} in main, was never received
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 9, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
