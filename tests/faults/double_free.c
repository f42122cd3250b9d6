/* A communicator freed twice.
 * ranks: 2
 * expect: exit 81; MPI_Comm_free, the communicator has been freed already */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm dup, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    copy = dup;
    MPI_Comm_free(&dup);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
