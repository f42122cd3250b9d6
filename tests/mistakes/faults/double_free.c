/* A communicator freed twice.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d was stopped in MPI_Comm_free at {here} in main: the communicator 0x[0-9a-f]+ has been freed already
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm dup, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    copy = dup;
    MPI_Comm_free(&dup);
    MPI_Comm_free(&copy); /* here */
    MPI_Finalize();
    return 0;
}
