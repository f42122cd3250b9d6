/* exit(3) on one rank without Finalize, while the others wait for it.
 *
 * ranks: 3
 * exit: 3
 * stderr: rank 1 exited with code 3 before it called MPI_Finalize; its last MPI call was MPI_Init at {init} in main
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* init */
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) exit(3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
