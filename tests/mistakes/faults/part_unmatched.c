/* A partitioned receive without a send: a deadlock.
 *
 * ranks: 2
 * exit: 80
 * stderr: rank 1 in MPI_Wait at {wait} in main waits for a message from rank 0 \(tag 3, partitioned, MPI_COMM_WORLD\)
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, data[4] = {0};
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Precv_init(data, 2, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* wait */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
