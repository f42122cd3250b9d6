/* Allgather and Allgatherv, uneven, in place, with a different type on each side. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long mine[2] = {rank, rank * rank}, *all = malloc(2 * size * sizeof *all);
    MPI_Allgather(mine, 2, MPI_LONG, all, 2, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK(all[2 * r] == r && all[2 * r + 1] == r * r);
    say("%d last %ld %ld\n", rank, all[2 * size - 2], all[2 * size - 1]);

    memset(all, 0, 2 * size * sizeof *all);
    all[2 * rank] = rank + 1, all[2 * rank + 1] = -rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK(all[2 * r] == r + 1 && all[2 * r + 1] == -r);

    /* Two longs sent as one pair. */
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Allgather(mine, 1, pair, all, 2, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK(all[2 * r] == r && all[2 * r + 1] == r * r);
    MPI_Type_free(&pair);

    int counts[size], places[size], total = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = (r * 5 + 3) % 7;                 /* zero for r = 5, 12, … */
        places[r] = total;                           /* first at 0: MPICH 4.0 alone ignores its displacement */
        total += counts[r] + 1;
    }
    int *out = malloc(8 * sizeof *out), *in = malloc(total * sizeof *in);
    for (int i = 0; i < total; i++) in[i] = -1;
    for (int i = 0; i < counts[rank]; i++) out[i] = rank * 100 + i;
    MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    long sum = 0;
    for (int r = 0; r < size; r++) {
        CHECK(in[places[r] + counts[r]] == -1);
        for (int i = 0; i < counts[r]; i++) CHECK(in[places[r] + i] == r * 100 + i);
    }
    for (int i = 0; i < total; i++) sum += in[i];
    say("%d Allgatherv sum %ld\n", rank, sum);
    for (int r = 0; r < size; r++)
        if (r != rank)
            for (int i = 0; i < counts[r]; i++) in[places[r] + i] = 0;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < counts[r]; i++) CHECK(in[places[r] + i] == r * 100 + i);
    free(all), free(out), free(in);
    return finish();
}
