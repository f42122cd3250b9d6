/* N bodies on a line with spring forces: the bodies of all ranks pass by on a ring, one rank's worth per step. */
#include <mpi.h>
#include <stdio.h>

enum { EACH = 4, STEPS = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    long at[EACH], speed[EACH] = {0}, visitors[EACH];
    for (int i = 0; i < EACH; i++) at[i] = (rank * EACH + i) * 10 + (rank * EACH + i) % 3;
    for (int step = 0; step < STEPS; step++) {
        long force[EACH] = {0};
        for (int i = 0; i < EACH; i++) visitors[i] = at[i];
        for (int hop = 0; hop < size; hop++) {
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++) force[i] += visitors[j] - at[i];
            MPI_Sendrecv_replace(visitors, EACH, MPI_LONG, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < EACH; i++) at[i] += speed[i] += force[i];
    }

    /* Forces cancel in pairs: the total momentum stays zero. */
    long momentum = 0, total, all[size * EACH];
    for (int i = 0; i < EACH; i++) momentum += speed[i];
    MPI_Allreduce(&momentum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(at, EACH, MPI_LONG, all, EACH, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < size * EACH; i++) printf("%ld%s", all[i], i % EACH == EACH - 1 ? "\n" : " ");
        printf("momentum %ld\n", total);
    }
    MPI_Finalize();
    return total == 0 ? 0 : 1;
}
