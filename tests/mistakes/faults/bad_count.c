/* A negative count.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Bcast at {here} in main: count is -1
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int v = 0;
    MPI_Bcast(&v, -1, MPI_INT, 0, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
