/* A ring so short that both neighbours are one rank, or this one: directions are told apart all the same. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int periodic = 1, gives[2] = {-rank - 1, rank + 1}, gets[2] = {0, 0}, down, up;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &down, &up);
    MPI_Neighbor_alltoall(gives, 1, MPI_INT, gets, 1, MPI_INT, ring);
    CHECK(gets[0] == down + 1);       /* what my lower neighbour sends up */
    CHECK(gets[1] == -up - 1);
    say("%d got %d from below, %d from above\n", rank, gets[0], gets[1]);
    MPI_Comm_free(&ring);
    return finish();
}
