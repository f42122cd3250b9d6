/* A communicator that is never freed.
 *
 * ranks: 2
 * exit: 0
 * stderr: at the end of the run, a communicator of 2 ranks, made by MPI_Comm_dup at {here} in main, was not freed
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup); /* here */
    MPI_Comm_set_name(dup, "forgotten");
    MPI_Finalize();
    return 0;
}
