/* Two ranks lock the same two targets in opposite order.
 *
 * ranks: 2
 * exit: 80
 * stderr: deadlock: 2 ranks are blocked
 * stderr: rank 0 in MPI_Win_lock at {second} in main waits for the lock of rank 1, which rank 1 holds \(window \d+ of 2 ranks\)
 * stderr: rank 1 in MPI_Win_lock at {second} in main waits for the lock of rank 0, which rank 0 holds \(window \d+ of 2 ranks\)
 * stderr: cycle: rank 0 -> rank 1 -> rank 0
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory = 0;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win); /* second */
    MPI_Win_unlock(1 - rank, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
