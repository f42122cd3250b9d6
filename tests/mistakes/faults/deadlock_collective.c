/* Rank 0 waits in a barrier, rank 1 for a message from rank 0.
 *
 * ranks: 2
 * exit: 80
 * stderr: deadlock: 2 ranks are blocked
 * stderr: rank 0 in MPI_Barrier at {barrier} in main waits for rank 1 to enter MPI_Barrier \(MPI_COMM_WORLD\)
 * stderr: rank 1 in MPI_Recv at {recv} in main waits for a message from rank 0 \(tag 3, MPI_COMM_WORLD\)
 * stderr: cycle: rank 0 -> rank 1 -> rank 0
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) MPI_Recv(&v, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* recv */
    MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    MPI_Finalize();
    return 0;
}
