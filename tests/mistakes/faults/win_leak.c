/* A window that is never freed.
 *
 * ranks: 2
 * exit: 0
 * stderr: at the end of the run, a window of 2 ranks, made by MPI_Win_allocate at {here} in main, was not freed
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win); /* here */
    MPI_Win_fence(0, win);
    MPI_Finalize();
    return 0;
}
