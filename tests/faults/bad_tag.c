/* A negative tag.
 * ranks: 2
 * expect: exit 81; MPI_Send on rank 0, tag -3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, -3, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
