/* A receive that is posted and never completed.
 * ranks: 2
 * expect: exit 0; a warning at finalize: rank 1 leaks a request, MPI_Irecv from 0, tag 5, this file's line */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    static int v;
    MPI_Request q;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) MPI_Irecv(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &q);
    MPI_Finalize();
    return 0;
}
