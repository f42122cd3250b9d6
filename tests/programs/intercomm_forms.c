/* Collectives between two sides: with a count for each rank, with roots on either side, persistent, large, and in a split. */
#include "check.h"

static int left, me, mine, others;

/* The rank that this one names as root, if the root is `root` of the left or of the right side. */
static int named(int on_left, int root)
{
    if (left != on_left) return root;
    return me == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void varying(MPI_Comm inter, int on_left, int root)
{
    int name = named(on_left, root);
    int *counts = calloc((size_t)(mine + others), sizeof *counts), *displs = calloc((size_t)(mine + others), sizeof *displs), end = 0;
    for (int r = 0; r < mine + others; r++) counts[r] = r % 3 + (r == 4), displs[r] = end, end += counts[r];
    int *all = calloc((size_t)end + 1, sizeof *all), own[4] = {10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3}, got[4] = {-1, -1, -1, -1};
    MPI_Gatherv(own, counts[me], MPI_INT, all, counts, displs, MPI_INT, name, inter);
    if (name == MPI_ROOT)
        for (int r = 0; r < others; r++)
            for (int i = 0; i < counts[r]; i++) CHECK(all[displs[r] + i] == 10 * r + i);
    for (int i = 0; i < end; i++) all[i] = 7 * i;
    MPI_Scatterv(all, counts, displs, MPI_INT, got, counts[me], MPI_INT, name, inter);
    for (int i = 0; i < 4; i++) CHECK(got[i] == (left != on_left && i < counts[me] ? 7 * (displs[me] + i) : -1));
    free(all), free(counts), free(displs);
}

static void everywhere(MPI_Comm inter)
{
    int ranks = mine > others ? mine : others;
    int *counts = calloc((size_t)ranks, sizeof *counts), *displs = calloc((size_t)ranks, sizeof *displs);
    int *gives = calloc(4 * (size_t)ranks, sizeof *gives), *gets = calloc(4 * (size_t)ranks, sizeof *gets);
    for (int r = 0; r < ranks; r++) counts[r] = (r + me) % 3, displs[r] = 4 * r;
    for (int i = 0; i < 4 * ranks; i++) gives[i] = 1000 * me + i;
    MPI_Alltoallv(gives, counts, displs, MPI_INT, gets, counts, displs, MPI_INT, inter);
    for (int r = 0; r < others; r++)
        for (int i = 0; i < counts[r]; i++) CHECK(gets[4 * r + i] == 1000 * r + 4 * me + i);

    int own = me % 3 + 1;
    for (int r = 0; r < ranks; r++) counts[r] = r % 3 + 1;
    MPI_Allgatherv(gives, own, MPI_INT, gets, counts, displs, MPI_INT, inter);
    for (int r = 0; r < others; r++)
        for (int i = 0; i < counts[r]; i++) CHECK(gets[4 * r + i] == 1000 * r + i);

    /* Uneven shares of a vector that is as long on both sides: the last rank of each side gets the rest. */
    int length = mine * others + 5, *vector = calloc((size_t)length, sizeof *vector), *share = calloc((size_t)length, sizeof *share);
    for (int i = 0; i < length; i++) vector[i] = i * (me + 1);
    for (int r = 0; r < mine; r++) counts[r] = r + 1 < mine ? 1 : length - mine + 1;
    MPI_Reduce_scatter(vector, share, counts, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < counts[me]; i++) CHECK(share[i] == (me + i) * others * (others + 1) / 2);
    free(share), free(vector), free(gets), free(gives), free(counts), free(displs);
}

static void large(MPI_Comm inter, int on_left)
{
    enum { LARGE = 60000 };
    int *data = malloc(LARGE * sizeof *data), root = 0, name = named(on_left, root);
    for (int i = 0; i < LARGE; i++) data[i] = name == MPI_ROOT ? 3 * i : -1;
    MPI_Request q;
    MPI_Bcast_init(data, LARGE, MPI_INT, name, inter, MPI_INFO_NULL, &q);
    for (int start = 0; start < 2; start++) MPI_Start(&q), MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Request_free(&q);
    CHECK(data[LARGE - 1] == (left != on_left || name == MPI_ROOT ? 3 * (LARGE - 1) : -1));

    double *sums = malloc(LARGE * sizeof *sums), *terms = malloc(LARGE * sizeof *terms);
    for (int i = 0; i < LARGE; i++) terms[i] = me + i, sums[i] = -1;
    MPI_Iallreduce(terms, sums, LARGE, MPI_DOUBLE, MPI_SUM, inter, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; i += 999) CHECK(sums[i] == others * (double)i + others * (others - 1) / 2.0);
    for (int i = 0; i < LARGE; i++) sums[i] = -1;
    MPI_Reduce(terms, sums, LARGE, MPI_DOUBLE, MPI_MAX, name, inter);
    CHECK(sums[1] == (name == MPI_ROOT ? others : -1));
    MPI_Ibarrier(inter, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    free(terms), free(sums), free(data);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (size < 3) {
        say("too few ranks for two sides\n");
        return finish();
    }
    MPI_Comm side, inter, half;
    left = rank % 3 == 1;    /* sides whose ranks are mixed */
    MPI_Comm_split(MPI_COMM_WORLD, left, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? 0 : 1, 9, &inter);
    MPI_Comm_rank(inter, &me), MPI_Comm_size(inter, &mine), MPI_Comm_remote_size(inter, &others);
    for (int on_left = 0; on_left < 2; on_left++) {
        int ranks = on_left == left ? mine : others;
        for (int root = 0; root < ranks; root += 2) varying(inter, on_left, root);
        large(inter, on_left);
    }
    everywhere(inter);

    /* Keys that mix the two sides. */
    MPI_Comm_split(inter, 0, -me, &half);
    MPI_Comm_rank(half, &me), MPI_Comm_size(half, &mine), MPI_Comm_remote_size(half, &others);
    everywhere(half);
    varying(half, 1, 0);
    int sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    say("%d is %d of %d, across are %d with the sum %d\n", rank, me, mine, others, sum);
    MPI_Comm_free(&half), MPI_Comm_free(&inter), MPI_Comm_free(&side);
    return finish();
}
