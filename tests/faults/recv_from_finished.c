/* Rank 0 waits for a rank that has already finalized.
 * ranks: 2
 * expect: exit 80; rank 0 in MPI_Recv from 1, tag 1; rank 1 has finished (or waits in MPI_Finalize) */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Recv(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
