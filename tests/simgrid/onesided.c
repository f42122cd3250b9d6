/* Each rank makes OPERATIONS accesses (put, get or accumulate) of DOUBLES (1) to the next rank, EPOCHS times, between fences. The contents are checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *kind = argc > 1 ? argv[1] : "put";
    int operations = argc > 2 ? atoi(argv[2]) : 100, doubles = argc > 3 ? atoi(argv[3]) : 1, epochs = argc > 4 ? atoi(argv[4]) : 10, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, total = operations * doubles;
    double *window = calloc(total, sizeof *window), *mine = calloc(total, sizeof *mine);
    for (int i = 0; i < total; i++) mine[i] = rank + i;
    if (!strcmp(kind, "get")) memcpy(window, mine, total * sizeof *mine);
    MPI_Win win;
    MPI_Win_create(window, total * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    double begin = MPI_Wtime();
    for (int epoch = 0; epoch < epochs; epoch++) {
        for (int i = 0; i < operations; i++) {
            double *at = mine + i * doubles;
            if (!strcmp(kind, "put")) MPI_Put(at, doubles, MPI_DOUBLE, next, i * doubles, doubles, MPI_DOUBLE, win);
            else if (!strcmp(kind, "get")) MPI_Get(at, doubles, MPI_DOUBLE, next, i * doubles, doubles, MPI_DOUBLE, win);
            else MPI_Accumulate(at, doubles, MPI_DOUBLE, next, i * doubles, doubles, MPI_DOUBLE, MPI_SUM, win);
        }
        MPI_Win_fence(0, win);
    }
    double seconds = MPI_Wtime() - begin;
    double *filled = strcmp(kind, "get") ? window : mine;
    int from = strcmp(kind, "get") ? (rank + size - 1) % size : next, times = strcmp(kind, "accumulate") ? 1 : epochs;
    for (int i = 0; i < total; i++)
        if (filled[i] != (double)times * (from + i)) {
            fprintf(stderr, "rank %d: element %d is %g\n", rank, i, filled[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    if (rank == 0) printf("SIM onesided kind=%s operations=%d doubles=%d seconds=%.12f\n", kind, operations, doubles, seconds);
    MPI_Win_free(&win);
    free(window);
    free(mine);
    MPI_Finalize();
    return 0;
}
