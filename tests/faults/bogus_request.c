/* A wait on a request that never was one.
 * ranks: 1
 * expect: exit 81; MPI_Wait on rank 0, not a request */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Request q;
    memset(&q, 0x5c, sizeof q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
