/* Group algebra: incl, excl, ranges, union, intersection, difference, translate, compare. */
#include "check.h"

static MPI_Group world;

/* Prints a group as world ranks. */
static void show(const char *what, MPI_Group g)
{
    int n, me;
    MPI_Group_size(g, &n);
    MPI_Group_rank(g, &me);
    int inside[n + 1], outside[n + 1];
    for (int i = 0; i < n; i++) inside[i] = i;
    MPI_Group_translate_ranks(g, n, inside, world, outside);
    int found = MPI_UNDEFINED;
    for (int i = 0; i < n; i++)
        if (outside[i] == rank) found = i;
    CHECK(found == me);
    if (rank > 0) return;
    say("%s:", what);
    for (int i = 0; i < n; i++) say(" %d", outside[i]);
    say("\n");
}

static int compare(MPI_Group a, MPI_Group b)
{
    int result;
    MPI_Group_compare(a, b, &result);
    return result;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int ranks[size], n_even = 0;
    for (int r = 0; r < size; r += 2) ranks[n_even++] = r;
    MPI_Group even, odd, low, all, both, left, reversed, ranged, empty, same;
    MPI_Group_incl(world, n_even, ranks, &even);
    MPI_Group_excl(world, n_even, ranks, &odd);
    int half[1][3] = {{0, size / 2, 1}}, back[1][3] = {{size - 1, 0, -1}}, third[1][3] = {{0, size - 1, 3}};
    MPI_Group_range_incl(world, 1, half, &low);
    MPI_Group_range_incl(world, 1, back, &reversed);
    MPI_Group_range_excl(world, 1, third, &ranged);
    MPI_Group_union(odd, even, &all);
    MPI_Group_intersection(low, even, &both);
    MPI_Group_difference(low, even, &left);
    MPI_Group_intersection(even, odd, &empty);
    MPI_Group_incl(world, n_even, ranks, &same);
    show("even", even), show("odd", odd), show("low", low), show("reversed", reversed), show("all but every third", ranged);
    show("union", all), show("intersection", both), show("difference", left);

    CHECK(compare(even, same) == MPI_IDENT);
    CHECK(compare(world, reversed) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    CHECK(compare(all, world) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    CHECK(size == 1 || compare(even, odd) == MPI_UNEQUAL);
    CHECK(compare(empty, MPI_GROUP_EMPTY) == MPI_IDENT);
    int n = -1, me = 0;
    MPI_Group_size(MPI_GROUP_EMPTY, &n);
    MPI_Group_rank(MPI_GROUP_EMPTY, &me);
    CHECK(n == 0 && me == MPI_UNDEFINED);
    int first = 0, there;
    MPI_Group_translate_ranks(world, 1, &first, odd, &there);
    CHECK(there == MPI_UNDEFINED);
    first = MPI_PROC_NULL;
    MPI_Group_translate_ranks(world, 1, &first, even, &there);
    CHECK(there == MPI_PROC_NULL);

    MPI_Group *made[] = {&even, &odd, &low, &reversed, &ranged, &all, &both, &left, &same, &world};
    for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
        MPI_Group_free(made[i]);
        CHECK(*made[i] == MPI_GROUP_NULL);
    }
    if (empty != MPI_GROUP_EMPTY) MPI_Group_free(&empty);
    return finish();
}
