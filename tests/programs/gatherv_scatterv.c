/* Gatherv and Scatterv with uneven counts, empty ranks, gaps and reversed places. */
#include "check.h"

static int count_of(int r) { return r % 4 == 2 ? 0 : r % 4 + 1; }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int counts[size], places[size], total = 0, mine[8];
    for (int r = size - 1; r >= 0; r--) {            /* last rank first, one hole after each */
        counts[r] = count_of(r);
        places[r] = total;
        total += counts[r] + 1;
    }
    int *all = malloc(total * sizeof *all);
    for (int root = 0; root < size; root += 2) {
        for (int i = 0; i < total; i++) all[i] = -9;
        for (int i = 0; i < count_of(rank); i++) mine[i] = rank * 10 + i;
        MPI_Gatherv(mine, count_of(rank), MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
        if (rank == root) {
            say("root %d:", root);
            for (int i = 0; i < total; i++) say(" %d", all[i]);
            say("\n");
            for (int r = 0; r < size; r++) CHECK(all[places[r] + counts[r]] == -9);
            for (int i = 0; i < total; i++) all[i] *= 2;
        }
        memset(mine, 0xff, sizeof mine);
        MPI_Scatterv(all, counts, places, MPI_INT, mine, count_of(rank), MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < count_of(rank); i++) CHECK(mine[i] == 2 * (rank * 10 + i));
        CHECK(mine[count_of(rank)] == -1);

        /* The same with the root's part already in place. */
        if (rank == root) {
            for (int i = 0; i < total; i++) all[i] = -9;
            for (int i = 0; i < counts[rank]; i++) all[places[rank] + i] = mine[i];
            MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
            for (int r = 0; r < size; r++)
                for (int i = 0; i < counts[r]; i++) CHECK(all[places[r] + i] == 2 * (r * 10 + i));
            MPI_Scatterv(all, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
        } else {
            MPI_Gatherv(mine, count_of(rank), MPI_INT, NULL, NULL, NULL, MPI_INT, root, MPI_COMM_WORLD);
            MPI_Scatterv(NULL, NULL, NULL, MPI_INT, mine, count_of(rank), MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < count_of(rank); i++) CHECK(mine[i] == 2 * (rank * 10 + i));
        }
    }
    free(all);
    return finish();
}
