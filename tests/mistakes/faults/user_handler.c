/* The program's own error handler is called, prints, and ends the program with its own code.
 *
 * ranks: 2
 * exit: 42
 * stdout: ^handled on rank 0$
 * stderr: rank 0 called MPI_Abort with code 42 at {abort} in handle
 */
#include <mpi.h>
#include <stdio.h>

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    int rank;
    MPI_Comm_rank(*comm, &rank);
    printf("handled on rank %d\n", rank);
    fflush(stdout);
    MPI_Abort(*comm, 42); /* abort */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Errhandler mine;
    MPI_Comm_create_errhandler(handle, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
