/* A communicator that is never freed.
 * ranks: 2
 * expect: exit 0; a warning at finalize: a communicator of 2 ranks made by MPI_Comm_dup, named "forgotten", is not freed */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, "forgotten");
    MPI_Finalize();
    return 0;
}
