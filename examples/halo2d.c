/* 2-D halo exchange on a periodic Cartesian grid; columns travel as a vector datatype, no packing by hand. */
#include <mpi.h>
#include <stdio.h>

enum { N = 6, STEPS = 5 };                           /* an N x N tile per rank, with one ghost layer around it */

static long tile[N + 2][N + 2], next[N + 2][N + 2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, dims[2] = {0, 0}, periodic[2] = {1, 1}, at[2];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);

    int north, south, west, east;
    MPI_Cart_shift(grid, 0, 1, &north, &south);
    MPI_Cart_shift(grid, 1, 1, &west, &east);

    MPI_Datatype row, column;
    MPI_Type_contiguous(N, MPI_LONG, &row);
    MPI_Type_vector(N, 1, N + 2, MPI_LONG, &column);
    MPI_Type_commit(&row);
    MPI_Type_commit(&column);

    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) tile[i][j] = (at[0] * N + i) * 7 + (at[1] * N + j) * 3;

    for (int step = 0; step < STEPS; step++) {
        MPI_Request q[8];
        MPI_Irecv(&tile[0][1], 1, row, north, 0, grid, &q[0]);
        MPI_Irecv(&tile[N + 1][1], 1, row, south, 1, grid, &q[1]);
        MPI_Irecv(&tile[1][0], 1, column, west, 2, grid, &q[2]);
        MPI_Irecv(&tile[1][N + 1], 1, column, east, 3, grid, &q[3]);
        MPI_Isend(&tile[N][1], 1, row, south, 0, grid, &q[4]);
        MPI_Isend(&tile[1][1], 1, row, north, 1, grid, &q[5]);
        MPI_Isend(&tile[1][N], 1, column, east, 2, grid, &q[6]);
        MPI_Isend(&tile[1][1], 1, column, west, 3, grid, &q[7]);
        MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                next[i][j] = tile[i][j] + tile[i - 1][j] + tile[i + 1][j] + tile[i][j - 1] + tile[i][j + 1];
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) tile[i][j] = next[i][j];
    }

    /* Every step multiplies the total of the periodic grid by five. */
    long sum = 0, total, expected = 0, height = (long)dims[0] * N, width = (long)dims[1] * N;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) sum += tile[i][j];
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, grid);
    for (long i = 1; i <= height; i++)
        for (long j = 1; j <= width; j++) expected += i * 7 + j * 3;
    for (int step = 0; step < STEPS; step++) expected *= 5;

    if (rank == 0) printf("%ld cells, total after %d steps %ld\n", height * width, STEPS, total);

    MPI_Type_free(&row);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return total == expected ? 0 : 1;
}
