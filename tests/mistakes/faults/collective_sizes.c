/* An allreduce of one int on some ranks and of two on others.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d was stopped in MPI_Allreduce at {here} in main: collective mismatch: rank (1 gives 8 bytes, but rank 0 gives 4|0 gives 4 bytes, but rank 1 gives 8), on MPI_COMM_WORLD
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, in[2] = {0, 0}, out[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(in, out, rank + 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
