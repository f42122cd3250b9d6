/* A window is freed while a rank holds a lock of it.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Win_free at {free} in main: this rank holds a lock of the window
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory = 0;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Win_free(&win); /* free */
    MPI_Finalize();
    return 0;
}
