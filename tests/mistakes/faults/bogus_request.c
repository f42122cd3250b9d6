/* A wait on a request that never was one.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Wait at {here} in main: 0x5c5c5c5c5c5c5c5c is not a request
 */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Request q;
    memset(&q, 0x5c, sizeof q);
    MPI_Wait(&q, MPI_STATUS_IGNORE); /* here */
    MPI_Finalize();
    return 0;
}
