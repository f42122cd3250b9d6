/* MPI_COMM_WORLD must not be freed.
 * ranks: 1
 * expect: exit 81; MPI_Comm_free of MPI_COMM_WORLD */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
