/* Cannon's matrix product on the largest square of ranks; the others stay outside the communicator. */
#include <mpi.h>
#include <stdio.h>

enum { B = 3 };                                      /* block size */

static void multiply(long a[B][B], long b[B][B], long c[B][B])
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < B; k++) c[i][j] += a[i][k] * b[k][j];
}

/* Moves a block `steps` places towards lower coordinates of one dimension. */
static void roll(long block[B][B], int dimension, int steps, MPI_Comm grid)
{
    int from, to;
    MPI_Cart_shift(grid, dimension, -steps, &from, &to);
    MPI_Sendrecv_replace(block, B * B, MPI_LONG, to, 0, from, 0, grid, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, q = 1, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while ((q + 1) * (q + 1) <= size) q++;

    int dims[2] = {q, q}, periodic[2] = {1, 1}, at[2];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Cart_coords(grid, rank, 2, at);
        long a[B][B], b[B][B], c[B][B] = {{0}};
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++) {
                a[i][j] = (at[0] * B + i) + (at[1] * B + j);
                b[i][j] = (at[0] * B + i) - (at[1] * B + j);
            }
        roll(a, 1, at[0], grid);
        roll(b, 0, at[1], grid);
        for (int step = 0; step < q; step++) {
            multiply(a, b, c);
            roll(a, 1, 1, grid);
            roll(b, 0, 1, grid);
        }
        long sum = 0, total;
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++) {
                long y = at[0] * B + i, x = at[1] * B + j, expected = 0;
                for (long k = 0; k < q * B; k++) expected += (y + k) * (k - x);
                right &= c[i][j] == expected;
                sum += c[i][j] * (y + 2 * x + 1);
            }
        MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, grid);
        if (rank == 0) printf("%d x %d product on %d x %d ranks, weighted sum %ld\n", q * B, q * B, q, q, total);
        MPI_Comm_free(&grid);
    }
    int all;
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 0 : 1;
}
