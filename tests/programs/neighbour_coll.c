/* Neighbourhood collectives on a Cartesian grid: left, right, up, down in one call. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dims[2] = {0, 0}, periods[2] = {1, 0}, n[4];
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &n[0], &n[1]);
    MPI_Cart_shift(grid, 1, 1, &n[2], &n[3]);
    int in[4] = {-1, -1, -1, -1}, out[4];
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, grid);
    for (int i = 0; i < 4; i++) CHECK(in[i] == (n[i] == MPI_PROC_NULL ? -1 : n[i]));
    say("%d: %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);

    /* What I send towards minus arrives at the other as coming from plus; only where both differ. */
    for (int i = 0; i < 4; i++) out[i] = rank * 10 + i, in[i] = -1;
    MPI_Request q;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 2; i < 4; i++) CHECK(in[i] == (n[i] == MPI_PROC_NULL ? -1 : n[i] * 10 + (i ^ 1)));
    if (dims[0] > 2)
        for (int i = 0; i < 2; i++) CHECK(in[i] == n[i] * 10 + (i ^ 1));
    MPI_Comm_free(&grid);
    return finish();
}
