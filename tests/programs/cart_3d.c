/* A 3-D periodic grid: six neighbours exchange, planes and lines by Cart_sub add up. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, at[3];
    MPI_Comm grid;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, at);
    int sum = 0;
    for (int d = 0; d < 3; d++) {
        int minus, plus, got;
        MPI_Cart_shift(grid, d, 1, &minus, &plus);
        MPI_Sendrecv(&rank, 1, MPI_INT, plus, d, &got, 1, MPI_INT, minus, d, grid, MPI_STATUS_IGNORE);
        CHECK(got == minus);
        sum += got;
        MPI_Sendrecv(&rank, 1, MPI_INT, minus, d, &got, 1, MPI_INT, plus, d, grid, MPI_STATUS_IGNORE);
        CHECK(got == plus);
        sum += got;
    }
    say("%d at %d,%d,%d: neighbours sum to %d\n", rank, at[0], at[1], at[2], sum);

    for (int mask = 1; mask < 8; mask++) {             /* not 0: MPICH 4.0 then leaves out all ranks but one */
        int keep[3] = {mask & 1, mask >> 1 & 1, mask >> 2 & 1}, n = 1, got, one = 1;
        for (int d = 0; d < 3; d++)
            if (keep[d]) n *= dims[d];
        MPI_Comm part;
        MPI_Cart_sub(grid, keep, &part);
        MPI_Allreduce(&one, &got, 1, MPI_INT, MPI_SUM, part);
        CHECK(got == n);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&grid);
    return finish();
}
