/* A send to a rank that does not exist.
 * ranks: 2
 * expect: exit 81; MPI_Send on rank 0, rank 5 is not in MPI_COMM_WORLD of 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
