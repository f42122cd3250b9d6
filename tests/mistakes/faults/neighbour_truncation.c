/* A neighbour sends more than there is room for.
 *
 * ranks: 3
 * exit: 81
 * stderr: rank (0|2) was stopped in MPI_Neighbor_alltoallv at {here} in main: ranks of this collective give different sizes: another gives 8 bytes
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, periodic = 1, to[4] = {0}, from[4], one[2] = {1, 1}, two[2] = {2, 2}, places[2] = {0, 2};
    MPI_Comm ring;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    MPI_Neighbor_alltoallv(to, rank == 1 ? two : one, places, MPI_INT, from, one, places, MPI_INT, ring); /* here */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
