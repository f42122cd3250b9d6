/* Rank 0 waits in a barrier, rank 1 for a message from rank 0.
 * ranks: 2
 * expect: exit 80; deadlock; rank 0 in MPI_Barrier, rank 1 in MPI_Recv from 0, tag 3; cycle 0 -> 1 -> 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) MPI_Recv(&v, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
