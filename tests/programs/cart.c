/* Cartesian topologies: dims_create, coordinates and back, shifts with and without wrap, sub-grids. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0) {
        int nodes[] = {1, 2, 3, 4, 6, 8, 9, 12, 16, 17, 24, 27, 30, 36, 64, 100};
        for (unsigned k = 0; k < sizeof nodes / sizeof *nodes; k++) {
            int two[2] = {0, 0}, three[3] = {0, 0, 0}, fixed[3] = {0, 1, 0};
            MPI_Dims_create(nodes[k], 2, two);
            MPI_Dims_create(nodes[k], 3, three);
            MPI_Dims_create(nodes[k], 3, fixed);
            CHECK(two[0] * two[1] == nodes[k] && three[0] * three[1] * three[2] == nodes[k] && fixed[1] == 1);
            CHECK(two[0] >= two[1] && three[0] >= three[1] && three[1] >= three[2] && fixed[0] == two[0]);
            say("%d = %dx%d = %dx%dx%d\n", nodes[k], two[0], two[1], three[0], three[1], three[2]);
        }
    }

    int dims[2] = {0, 0}, periods[2] = {1, 0}, at[2], me, back, up, down, left, right;
    MPI_Comm grid, line;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &me);
    MPI_Cart_coords(grid, me, 2, at);
    CHECK(me == rank && at[0] == rank / dims[1] && at[1] == rank % dims[1]);   /* row major */
    MPI_Cart_rank(grid, at, &back);
    CHECK(back == me);
    int wrapped[2] = {at[0] - dims[0] * 2, at[1]};
    MPI_Cart_rank(grid, wrapped, &back);             /* periodic in dimension 0 */
    CHECK(back == me);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    CHECK((at[1] > 0) == (left != MPI_PROC_NULL) && (at[1] < dims[1] - 1) == (right != MPI_PROC_NULL));
    say("%d at %d,%d: up %d down %d left %d right %d\n", rank, at[0], at[1], up, down,
        left == MPI_PROC_NULL ? -1 : left, right == MPI_PROC_NULL ? -1 : right);
    MPI_Cart_shift(grid, 0, -2, &up, &down);
    CHECK(up == (at[0] + 2) % dims[0] * dims[1] + at[1]);

    int kind, n, got_dims[2], got_periods[2], got_at[2];
    MPI_Topo_test(grid, &kind);
    CHECK(kind == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    MPI_Cartdim_get(grid, &n);
    MPI_Cart_get(grid, 2, got_dims, got_periods, got_at);
    CHECK(n == 2 && got_dims[0] == dims[0] && got_periods[0] && !got_periods[1] && got_at[1] == at[1]);

    int keep[2] = {0, 1}, sum, line_rank;
    MPI_Cart_sub(grid, keep, &line);                 /* my row */
    MPI_Comm_rank(line, &line_rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, line);
    CHECK(line_rank == at[1] && sum == dims[1] * (2 * at[0] * dims[1] + dims[1] - 1) / 2);
    say("%d row sum %d\n", rank, sum);
    MPI_Cartdim_get(line, &n);
    CHECK(n == 1);
    MPI_Comm_free(&line);

    /* A smaller grid leaves ranks out; reorder may renumber, but not lose anyone. */
    int one[1] = {size > 1 ? size - 1 : 1}, yes[1] = {1}, inside, total;
    MPI_Cart_create(MPI_COMM_WORLD, 1, one, yes, 0, &line);
    CHECK((line == MPI_COMM_NULL) == (rank >= one[0]));
    if (line != MPI_COMM_NULL) MPI_Comm_free(&line);
    MPI_Cart_create(MPI_COMM_WORLD, 1, one, yes, 1, &line);
    inside = line != MPI_COMM_NULL;
    MPI_Allreduce(&inside, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == one[0]);
    if (line != MPI_COMM_NULL) MPI_Comm_free(&line);

    int place;
    MPI_Cart_map(MPI_COMM_WORLD, 1, one, yes, &place);
    CHECK(place == MPI_UNDEFINED || (place >= 0 && place < one[0]));
    MPI_Comm_free(&grid);
    return finish();
}
