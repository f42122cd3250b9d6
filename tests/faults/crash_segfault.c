/* One rank dereferences a null pointer while the others wait for it.
 * ranks: 3
 * expect: exit 139 (128 + SIGSEGV); rank 1 died by signal 11 (segmentation fault); the others are ended */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    volatile int *nowhere = NULL;
    if (rank == 1) *nowhere = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
