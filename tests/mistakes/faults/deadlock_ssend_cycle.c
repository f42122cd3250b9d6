/* Three ranks send synchronously around a ring; nobody gets to its receive.
 *
 * ranks: 3
 * exit: 80
 * stderr: deadlock: 3 ranks are blocked
 * stderr: rank 0 in MPI_Ssend at {ssend} in main waits for rank 1 to receive \(tag 4, MPI_COMM_WORLD\)
 * stderr: rank 1 in MPI_Ssend at {ssend} in main waits for rank 2 to receive \(tag 4, MPI_COMM_WORLD\)
 * stderr: rank 2 in MPI_Ssend at {ssend} in main waits for rank 0 to receive \(tag 4, MPI_COMM_WORLD\)
 * stderr: cycle: rank 0 -> rank 1 -> rank 2 -> rank 0
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Ssend(&rank, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD); /* ssend */
    MPI_Recv(&v, 1, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
