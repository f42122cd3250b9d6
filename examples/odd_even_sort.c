/* Odd-even transposition sort: neighbours exchange blocks, the left one keeps the small half. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EACH = 6 };

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int keys[2 * EACH];
    for (int i = 0; i < EACH; i++) keys[i] = (rank * EACH + i) * 7919 % 1009;
    qsort(keys, EACH, sizeof *keys, compare);

    for (int phase = 0; phase < size; phase++) {
        int partner = (rank + phase) % 2 ? rank - 1 : rank + 1;
        if (partner < 0 || partner >= size) continue;
        MPI_Sendrecv(keys, EACH, MPI_INT, partner, phase, keys + EACH, EACH, MPI_INT, partner, phase, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        qsort(keys, 2 * EACH, sizeof *keys, compare);
        if (rank > partner)
            for (int i = 0; i < EACH; i++) keys[i] = keys[EACH + i];
    }

    int all[size * EACH], right = 1;
    MPI_Gather(keys, EACH, MPI_INT, all, EACH, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < size * EACH; i++) {
            right &= i == 0 || all[i - 1] <= all[i];
            printf("%d%s", all[i], i % EACH == EACH - 1 ? "\n" : " ");
        }
    MPI_Finalize();
    return right ? 0 : 1;
}
