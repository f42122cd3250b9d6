/* MPI_Abort(…, 7) on one rank ends all of them.
 *
 * ranks: 3
 * exit: 7
 * stderr: rank 2 called MPI_Abort with code 7 at {here} in main
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) MPI_Abort(MPI_COMM_WORLD, 7); /* here */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
