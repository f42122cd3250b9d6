/* One rank dereferences a null pointer while the others wait for it.
 *
 * ranks: 3
 * exit: 139
 * stderr: rank 1 was killed by SIGSEGV .* before it called MPI_Finalize; its last MPI call was MPI_Init at {init} in main
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* init */
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    volatile int *nowhere = NULL;
    if (rank == 1) *nowhere = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
