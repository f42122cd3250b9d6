/* A rank gives up a lock that it does not hold.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 1 was stopped in MPI_Win_unlock at {unlock} in main: this rank does not hold the lock of rank 0
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory = 0;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Win_unlock(0, win); /* unlock */
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
