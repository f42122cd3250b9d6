/* A partitioned message that does not fit.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 1 was stopped in MPI_Wait at {wait} in main: the message of 8 bytes from rank 0 .* does not fit into 4 bytes
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, data[6] = {0};
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 3, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 2, request);
    } else {
        MPI_Precv_init(data, 5, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* wait */
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
