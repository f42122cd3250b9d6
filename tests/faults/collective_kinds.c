/* One rank broadcasts while the others are in a barrier.
 * ranks: 3
 * expect: exit 81; collective mismatch on MPI_COMM_WORLD; MPI_Bcast on rank 0 against MPI_Barrier on ranks 1 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
