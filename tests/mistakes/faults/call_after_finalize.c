/* A barrier after MPI_Finalize.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d was stopped in MPI_Barrier at {here} in main: MPI_Finalize has been called already
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD); /* here */
    return 0;
}
