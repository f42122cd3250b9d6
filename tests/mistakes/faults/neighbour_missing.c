/* One rank of a ring does not take part in a collective among neighbours: only its neighbours wait for it.
 *
 * ranks: 5
 * exit: 80
 * stderr: deadlock: 5 ranks are blocked
 * stderr: rank 0 in MPI_Recv
 * stderr: rank 1 in MPI_Neighbor_allgather at {here} in main waits for rank 2 to enter MPI_Neighbor_allgather
 * stderr: rank 2 in MPI_Recv
 * stderr: rank 3 in MPI_Neighbor_allgather at {here} in main waits for rank 2 to enter MPI_Neighbor_allgather
 * stderr: rank 4 in MPI_Recv
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, periodic = 1, from[2];
    MPI_Comm ring;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    if (rank != 2) MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, ring); /* here */
    MPI_Recv(from, 1, MPI_INT, (rank + 2) % size, 0, ring, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
