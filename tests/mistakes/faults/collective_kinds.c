/* One rank broadcasts while the others are in a barrier.
 *
 * ranks: 3
 * exit: 81
 * stderr: rank \d was stopped in (MPI_Bcast at {bcast}|MPI_Barrier at {barrier})
 * stderr: collective mismatch: rank \d calls MPI_(Bcast|Barrier), but rank \d calls MPI_(Bcast|Barrier), on MPI_COMM_WORLD
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD); /* bcast */
    else MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    MPI_Finalize();
    return 0;
}
