/* Heat in a rod by Jacobi steps: one ghost cell on each side, exchanged with Sendrecv, walls are PROC_NULL. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 120, STEPS = 200, PROBES = 6 };

static int first_cell(int rank, int size) { return (int)((long)CELLS * rank / size); }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int first = first_cell(rank, size), mine = first_cell(rank + 1, size) - first;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    /* Cells 1..mine are ours; 0 and mine+1 are ghosts. The left wall is at 1024 degrees, the right one at 0. */
    double *now = calloc(mine + 2, sizeof *now), *next = calloc(mine + 2, sizeof *next);
    if (rank == 0) now[0] = next[0] = 1024;

    double change = 0;
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&now[mine], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 1, &now[mine + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double largest = 0;
        for (int i = 1; i <= mine; i++) {
            next[i] = 0.5 * (now[i - 1] + now[i + 1]);
            double d = next[i] > now[i] ? next[i] - now[i] : now[i] - next[i];
            if (d > largest) largest = d;
        }
        double *swap = now;
        now = next;
        next = swap;
        MPI_Allreduce(&largest, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }

    int counts[size], starts[size];
    for (int r = 0; r < size; r++) {
        starts[r] = first_cell(r, size);
        counts[r] = first_cell(r + 1, size) - starts[r];
    }
    double rod[CELLS];
    MPI_Gatherv(now + 1, mine, MPI_DOUBLE, rod, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);

    int falling = 1;
    if (rank == 0) {
        printf("after %d steps the largest change was %.9f\n", STEPS, change);
        for (int i = 0; i < CELLS; i += CELLS / PROBES) printf("cell %3d: %.9f\n", i, rod[i]);
        for (int i = 1; i < CELLS; i++) falling &= rod[i] <= rod[i - 1];
    }
    free(now);
    free(next);
    MPI_Finalize();
    return falling ? 0 : 1;
}
