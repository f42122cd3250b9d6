/* Two ranks receive from each other before either sends.
 *
 * ranks: 2
 * exit: 80
 * stderr: deadlock: 2 ranks are blocked
 * stderr: rank 0 in MPI_Recv at {recv} in main waits for a message from rank 1 \(tag 7, MPI_COMM_WORLD\)
 * stderr: rank 1 in MPI_Recv at {recv} in main waits for a message from rank 0 \(tag 7, MPI_COMM_WORLD\)
 * stderr: cycle: rank 0 -> rank 1 -> rank 0
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* recv */
    MPI_Send(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
