/* All ranks return 0 from main without Finalize.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d exited with code 0 before it called MPI_Finalize; its last MPI call was MPI_Barrier at {here} in main
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD); /* here */
    return 0;
}
