/* A message that nobody receives.
 * ranks: 2
 * expect: exit 0; a warning at finalize: unmatched message from rank 0 to rank 1, tag 9, 4 bytes */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
