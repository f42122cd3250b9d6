/* Distributed-array types: block and cyclic pieces of a matrix gathered from all ranks. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int sizes[2] = {6, 10}, distributions[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {1, size}, bytes, total;
    MPI_Datatype t;
    MPI_Type_create_darray(size, rank, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Type_size(t, &bytes);
    MPI_Allreduce(&bytes, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == 240);

    int matrix[60], mine[60], n = bytes / 4, at = 0;
    for (int i = 0; i < 60; i++) matrix[i] = i;
    MPI_Pack(matrix, 1, t, mine, sizeof mine, &at, MPI_COMM_WORLD);
    CHECK(at == bytes);
    say("%d has %d:", rank, n);
    for (int i = 0; i < n; i++) {
        CHECK(mine[i] % 10 % size == rank);
        say(" %d", mine[i]);
    }
    say("\n");
    MPI_Type_free(&t);
    return finish();
}
