/* One rank calls abort().
 *
 * ranks: 3
 * exit: 134
 * stderr: rank 2 was killed by SIGABRT .* before it called MPI_Finalize; its last MPI call was MPI_Init at {init} in main
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* init */
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
