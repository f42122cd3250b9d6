// Ranks push different numbers into their library, in turns.
#include "state.h"

#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char title[32];
    snprintf(title, sizeof title, "rank %d", rank);
    state_open(MPI_COMM_WORLD, title);
    state_level += rank;
    for (int turn = 0; turn < size; turn++) {
        if (turn <= rank) state_push(rank + turn);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: total %g, level %d, local %d\n", rank, state_total(), state_level, state_local);
    state_close();
    MPI_Finalize();
    return 0;
}
