/* sum.c: the sum of a number of each rank, for all ranks: along a line, through rank 0 (star), or by the library */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static double line(double mine, int rank, int size)
{
    double sum = 0;
    if (rank > 0)
        MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += mine;
    if (rank < size - 1) {
        MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&sum, 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank > 0)
        MPI_Send(&sum, 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    return sum;
}

static double star(double mine, int rank, int size)
{
    double sum = mine, other;
    for (int from = 1; rank == 0 && from < size; from++) {
        MPI_Recv(&other, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += other;
    }
    if (rank > 0) {
        MPI_Send(&sum, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int to = 1; rank == 0 && to < size; to++)
        MPI_Send(&sum, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *way = argc > 1 ? argv[1] : "library";
    double mine = rank + 1, sum, began = MPI_Wtime(), took, longest;
    if (!strcmp(way, "line"))
        sum = line(mine, rank, size);
    else if (!strcmp(way, "star"))
        sum = star(mine, rank, size);
    else
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    took = MPI_Wtime() - began;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d ranks, sum %.0f, %.2f us\n", way, size, sum, longest * 1e6);
    MPI_Finalize();
    return 0;
}
