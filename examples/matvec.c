/* Matrix times vector, matrix by rows: Scatterv the rows, Bcast the vector, Gatherv the result. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int rows[size], first_row[size], cells[size], first_cell[size];
    for (int r = 0; r < size; r++) {
        first_row[r] = N * r / size;
        rows[r] = N * (r + 1) / size - first_row[r];
        cells[r] = rows[r] * N;
        first_cell[r] = first_row[r] * N;
    }

    double *matrix = NULL, x[N] = {0}, y[N];
    if (rank == 0) {
        matrix = malloc(N * N * sizeof *matrix);
        for (int i = 0; i < N; i++) {
            x[i] = i + 1;
            for (int j = 0; j < N; j++) matrix[i * N + j] = i - j;
        }
    }
    double *mine = malloc((cells[rank] + 1) * sizeof *mine), *part = calloc(rows[rank] + 1, sizeof *part);
    MPI_Bcast(x, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatterv(matrix, cells, first_cell, MPI_DOUBLE, mine, cells[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < rows[rank]; i++)
        for (int j = 0; j < N; j++) part[i] += mine[i * N + j] * x[j];
    MPI_Gatherv(part, rows[rank], MPI_DOUBLE, y, rows, first_row, MPI_DOUBLE, 0, MPI_COMM_WORLD);

    int right = 1;
    if (rank == 0)
        for (int i = 0; i < N; i++) {
            double expected = 0;
            for (int j = 0; j < N; j++) expected += (i - j) * (j + 1.0);
            right &= y[i] == expected;
            printf("y[%2d] = %.0f\n", i, y[i]);
        }
    free(matrix);
    free(mine);
    free(part);
    MPI_Finalize();
    return right ? 0 : 1;
}
