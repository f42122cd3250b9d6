/* MPI_DATATYPE_NULL in a send.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Send at {here} in main: the datatype is MPI_DATATYPE_NULL
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&v, 1, MPI_DATATYPE_NULL, 1, 0, MPI_COMM_WORLD); /* here */
    else MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
