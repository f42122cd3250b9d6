/* An allreduce of one int on some ranks and of two on others.
 * ranks: 2
 * expect: exit 81; collective mismatch; MPI_Allreduce of 4 bytes on rank 0 against 8 bytes on rank 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in[2] = {0, 0}, out[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(in, out, rank + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
