/* One rank calls abort().
 * ranks: 3
 * expect: exit 134 (128 + SIGABRT); rank 2 died by signal 6 (aborted); the others are ended */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
