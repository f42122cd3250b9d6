/* A negative count.
 * ranks: 1
 * expect: exit 81; MPI_Bcast on rank 0, count -1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int v = 0;
    MPI_Bcast(&v, -1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
