/* Iterations of a stencil over an array of so many doubles, each with a message to both neighbours and a reduction.
 *
 *   bursts DOUBLES ITERATIONS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, count = argc > 1 ? atoi(argv[1]) : 1000, iterations = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *now = calloc(count + 2, sizeof *now), *next = calloc(count + 2, sizeof *next), least = 0;
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    now[count / 2] = 1 + rank;
    for (int step = 0; step < iterations; step++) {
        MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[count + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&now[count], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double step_of = 1;
        for (int at = 1; at <= count; at++) {
            next[at] = now[at] + 0.1 * (now[at - 1] - 2 * now[at] + now[at + 1]) / (1 + now[at] * now[at]);
            if (next[at] < step_of)
                step_of = next[at];
        }
        double *swap = now;
        now = next;
        next = swap;
        MPI_Allreduce(&step_of, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%g\n", least);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
