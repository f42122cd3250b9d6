/* Two collectives among neighbours that do not go together.
 *
 * ranks: 2
 * exit: 81
 * stderr: collective mismatch: rank \d calls MPI_Neighbor_all(gather|toall), but rank \d calls MPI_Neighbor_all(gather|toall)
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, periodic = 1, to[2] = {0, 0}, from[2];
    MPI_Comm ring;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    if (rank == 0) MPI_Neighbor_allgather(to, 1, MPI_INT, from, 1, MPI_INT, ring);
    else MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
