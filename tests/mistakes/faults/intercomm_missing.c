/* A rank does not take part in a reduction between two sides.
 *
 * ranks: 4
 * exit: 80
 * stderr: rank 0 in MPI_Allreduce at {here} in main waits for rank 3 to enter MPI_Allreduce
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, one = 1, sum;
    MPI_Comm side, inter;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    if (rank < 3) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter); /* here */
    MPI_Finalize();
    return 0;
}
