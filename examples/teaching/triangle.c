/* triangle.c: the rows of a triangular matrix, again and again; row i has i + 1 entries. Each rank has as many rows as any other */
#include <mpi.h>
#include <smpi/smpi.h> /* smpi_execute_flops: declared computation, which takes as long on every student's machine */
#include <stdio.h>

enum { ROWS = 4096, STEPS = 10, OPERATIONS = 100 /* per entry */ };

static int row(int at, int rank, int size)
{
    return rank * (ROWS / size) + at; /* a block of rows for each rank */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double mine = 1, norm, began = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        double entries = 0;
        for (int at = 0; at < ROWS / size; at++)
            entries += row(at, rank, size) + 1;
        smpi_execute_flops(entries * OPERATIONS);
        MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d ranks: %.2f ms\n", size, (MPI_Wtime() - began) * 1e3);
    MPI_Finalize();
    return 0;
}
