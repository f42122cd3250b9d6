/* A partitioned send of which not all partitions are made ready.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Wait at {wait} in main: this waits for a partitioned send of which 2 partitions are not ready
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, data[4] = {0};
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 4, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready(3, request);
    } else {
        MPI_Precv_init(data, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* wait */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
