/* With ERRORS_RETURN a bad rank is not the end: the program sees the code and goes on.
 *
 * ranks: 2
 * exit: 0
 * stdout: ^went on$
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, class = MPI_SUCCESS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD), &class);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && class == MPI_ERR_RANK) printf("went on\n");
    MPI_Finalize();
    return 0;
}
