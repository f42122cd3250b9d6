/* Ten ints into room for four.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 1 was stopped in MPI_Recv at {here} in main: the message of 40 bytes from rank 0 with tag 2 does not fit into 16 bytes
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v[10] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(v, 10, MPI_INT, 1, 2, MPI_COMM_WORLD);
    else MPI_Recv(v, 4, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
    MPI_Finalize();
    return 0;
}
