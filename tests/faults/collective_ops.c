/* A sum on one rank, a maximum on the other.
 * ranks: 2
 * expect: exit 81; collective mismatch; MPI_Allreduce with MPI_SUM on rank 0 against MPI_MAX on rank 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 1, out;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&v, &out, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
