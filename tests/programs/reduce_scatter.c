/* Reduce_scatter with uneven counts and Reduce_scatter_block, in place too. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int counts[size], first = 0, total = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = (r * 2 + 1) % 4;
        if (r == 3) counts[r] = 0;
        if (r < rank) first += counts[r];
        total += counts[r];
    }
    long *out = malloc(total * sizeof *out), in[4] = {-1, -1, -1, -1};
    for (int i = 0; i < total; i++) out[i] = rank * 10 + i;
    MPI_Reduce_scatter(out, in, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    say("%d got", rank);
    for (int i = 0; i < counts[rank]; i++) {
        CHECK(in[i] == 10L * size * (size - 1) / 2 + (long)size * (first + i));
        say(" %ld", in[i]);
    }
    say("\n");
    CHECK(in[counts[rank]] == -1);
    MPI_Reduce_scatter(MPI_IN_PLACE, out, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; i++) CHECK(out[i] == in[i]);

    int *blocks = malloc(3 * size * sizeof *blocks), mine[3];
    for (int i = 0; i < 3 * size; i++) blocks[i] = rank ^ i;
    MPI_Reduce_scatter_block(blocks, mine, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        int want = 0;
        for (int r = 0; r < size; r++)
            if ((r ^ (3 * rank + i)) > want) want = r ^ (3 * rank + i);
        CHECK(mine[i] == want);
    }
    say("%d block %d %d %d\n", rank, mine[0], mine[1], mine[2]);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) CHECK(blocks[i] == mine[i]);
    free(out), free(blocks);
    return finish();
}
