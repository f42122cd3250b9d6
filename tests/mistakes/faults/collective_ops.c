/* A sum on one rank, a maximum on the other.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d was stopped in MPI_Allreduce at {here} in main: collective mismatch: rank (0 reduces with MPI_SUM, but rank 1 with MPI_MAX|1 reduces with MPI_MAX, but rank 0 with MPI_SUM), on MPI_COMM_WORLD
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 1, out;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&v, &out, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
