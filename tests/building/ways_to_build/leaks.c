/* Every rank leaves the same things behind: a request, a message, a communicator of its own and one of all. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    static int value;
    MPI_Request request;
    MPI_Comm own, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request); /* request */
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD); /* message */
    MPI_Comm_dup(MPI_COMM_SELF, &own);                                 /* own */
    MPI_Comm_dup(MPI_COMM_WORLD, &all);                                /* all */
    MPI_Finalize();
    return 0;
}
