/* Rank 0 waits for a rank that has already finalized.
 *
 * ranks: 2
 * exit: 80
 * stderr: deadlock: 1 rank is blocked
 * stderr: rank 0 in MPI_Recv at {recv} in main waits for a message from rank 1 \(tag 1, MPI_COMM_WORLD\)
 * stderr: no cycle: rank 1 has called MPI_Finalize already
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Recv(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* recv */
    MPI_Finalize();
    return 0;
}
