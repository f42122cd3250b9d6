/* A partition that is made ready twice.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Pready at {again} in main: partition 1 is ready already
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int data[2] = {0};
    MPI_Request request;
    MPI_Psend_init(data, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(1, request);
    MPI_Pready(1, request); /* again */
    MPI_Finalize();
    return 0;
}
