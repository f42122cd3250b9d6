/* MPI_Comm_rank before MPI_Init.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d was stopped in MPI_Comm_rank at {here} in main: MPI_Init has not been called yet
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* here */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
