/* A receive that is posted and never completed.
 *
 * ranks: 2
 * exit: 0
 * stderr: at the end of the run, rank 1 leaves 1 request that it never completed or freed; it was made by MPI_Irecv at {here} in main for a message from rank 0 \(tag 5, MPI_COMM_WORLD\)
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    static int v;
    MPI_Request q;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) MPI_Irecv(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &q); /* here */
    MPI_Finalize();
    return 0;
}
