/* Two ranks receive from each other before either sends.
 * ranks: 2
 * expect: exit 80; deadlock; both ranks in MPI_Recv, peers 1 and 0, tag 7, MPI_COMM_WORLD, this file's line; cycle 0 -> 1 -> 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
