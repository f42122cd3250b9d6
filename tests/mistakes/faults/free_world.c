/* MPI_COMM_WORLD must not be freed.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Comm_free at {here} in main: MPI_COMM_WORLD is predefined and cannot be freed
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_free(&world); /* here */
    MPI_Finalize();
    return 0;
}
