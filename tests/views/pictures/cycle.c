/* Ranks 0, 1 and 2 wait for each other, rank 3 for rank 0. */

#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    smpi_execute_flops(1e6 * (rank + 2));
    MPI_Recv(&number, 1, MPI_INT, rank < 3 ? (rank + 1) % 3 : 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
