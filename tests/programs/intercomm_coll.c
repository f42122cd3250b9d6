/* Collectives from one side of an inter-communicator to the other, and communicators made from one. */
#include "check.h"

/* Decimal digits side by side: the order of the operands shows. */
static void append(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    long *left = in, *right = inout;
    for (int i = 0; i < *count; i++) {
        long shift = 1;
        while (shift <= right[i]) shift *= 10;
        right[i] += left[i] * shift;
    }
}

static void rooted(MPI_Comm inter, int left, int me, int others)
{
    int root = left ? (me == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;    /* rank 0 of the left side */
    int word = left && me == 0 ? 77 : -1;
    MPI_Bcast(&word, 1, MPI_INT, root, inter);
    CHECK(word == (left && me ? -1 : 77));

    int *all = calloc((size_t)others, sizeof *all), own = 100 + me, share = -1;
    MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, root, inter);
    for (int r = 0; r < others && root == MPI_ROOT; r++) CHECK(all[r] == 100 + r);
    for (int r = 0; r < others; r++) all[r] = 10 * r;
    MPI_Scatter(all, 1, MPI_INT, &share, 1, MPI_INT, root, inter);
    CHECK(share == (left ? -1 : 10 * me));
    free(all);
}

static void everywhere(MPI_Comm inter, int left, int me, int others)
{
    int *all = calloc(2 * (size_t)others, sizeof *all), own[2] = {me, left};
    MPI_Request request;
    MPI_Iallgather(own, 2, MPI_INT, all, 2, MPI_INT, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < others; r++) CHECK(all[2 * r] == r && all[2 * r + 1] == !left);

    int *gives = calloc((size_t)others, sizeof *gives);
    for (int r = 0; r < others; r++) gives[r] = 1000 * me + r;
    MPI_Alltoall(gives, 1, MPI_INT, all, 1, MPI_INT, inter);
    for (int r = 0; r < others; r++) CHECK(all[r] == 1000 * r + me);
    free(gives), free(all);
    MPI_Barrier(inter);
}

static void reductions(MPI_Comm inter, int left, int me, int mine, int others)
{
    MPI_Op digits;
    MPI_Op_create(append, 0, &digits);
    long own = me % 9 + 1, joined = -1;
    MPI_Allreduce(&own, &joined, 1, MPI_LONG, digits, inter);
    say("%d sees %ld on the other side\n", rank, joined);
    joined = -1;
    MPI_Request request;
    MPI_Ireduce(&own, &joined, 1, MPI_LONG, digits, left ? 0 : (me ? MPI_PROC_NULL : MPI_ROOT), inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK((joined == -1) == (left || me > 0));
    MPI_Op_free(&digits);

    /* As many elements on both sides: each rank gets its part of the sum over the other side. */
    int *vector = malloc((size_t)mine * (size_t)others * sizeof *vector), *part = malloc((size_t)others * sizeof *part);
    for (int i = 0; i < mine * others; i++) vector[i] = i * (me + 1);
    MPI_Reduce_scatter_block(vector, part, others, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < others; i++) CHECK(part[i] == (me * others + i) * others * (others + 1) / 2);
    free(part), free(vector);
}

static void offspring(MPI_Comm inter, int left, int me)
{
    MPI_Comm twin, pairs, both;
    int result, count, place;
    MPI_Comm_dup(inter, &twin);
    MPI_Comm_compare(inter, twin, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_split(twin, me / 2, -me, &pairs);
    if (pairs == MPI_COMM_NULL) {
        say("%d has nobody across\n", rank);
    } else {
        MPI_Comm_remote_size(pairs, &count);
        MPI_Comm_rank(pairs, &place);
        say("%d is %d, across are %d\n", rank, place, count);
        MPI_Comm_free(&pairs);
    }
    MPI_Intercomm_merge(twin, left, &both);
    MPI_Comm_rank(both, &place);
    say("%d is %d of both\n", rank, place);
    MPI_Comm_free(&both), MPI_Comm_free(&twin);
}

static void wildcards(MPI_Comm inter, int me, int others)
{
    MPI_Request request;
    MPI_Status status;
    int word;
    MPI_Isend(&me, 1, MPI_INT, me % others, me, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(inter);
    int waiting = 1;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &waiting, &status);
        if (!waiting) break;
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
        CHECK(word == status.MPI_SOURCE && word == status.MPI_TAG);
    }
    MPI_Barrier(inter);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (size == 1) {
        say("one rank has no other side\n");
        return finish();
    }
    int left = rank < size / 3 + 1 && rank < size - 1, me, mine, others;
    MPI_Comm side, inter;
    MPI_Comm_split(MPI_COMM_WORLD, left, rank, &side);
    int first = left ? (size / 3 + 1 < size - 1 ? size / 3 + 1 : size - 1) : 0;
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, first, 3, &inter);
    MPI_Comm_rank(inter, &me), MPI_Comm_size(inter, &mine), MPI_Comm_remote_size(inter, &others);
    rooted(inter, left, me, others);
    everywhere(inter, left, me, others);
    reductions(inter, left, me, mine, others);
    wildcards(inter, me, others);
    offspring(inter, left, me);
    MPI_Comm_free(&inter), MPI_Comm_free(&side);
    return finish();
}
