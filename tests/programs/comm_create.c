/* Communicators: dup, create, split with keys and UNDEFINED, compare, names, free. */
#include "check.h"

static int compare(MPI_Comm a, MPI_Comm b)
{
    int result;
    MPI_Comm_compare(a, b, &result);
    return result;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm dup, part, evens, back;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(compare(dup, MPI_COMM_WORLD) == MPI_CONGRUENT && compare(dup, dup) == MPI_IDENT);
    CHECK(compare(MPI_COMM_WORLD, MPI_COMM_SELF) == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));

    /* Three colours, order reversed by the key. */
    int me, n, sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part);
    MPI_Comm_rank(part, &me);
    MPI_Comm_size(part, &n);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    say("%d colour %d: rank %d of %d, sum %d\n", rank, rank % 3, me, n, sum);
    int members[n];
    MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, part);
    for (int i = 1; i < n; i++) CHECK(members[i] == members[i - 1] - 3);

    /* Equal keys: the old order. */
    MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &back);
    CHECK(compare(back, MPI_COMM_WORLD) == MPI_CONGRUENT);
    MPI_Comm_free(&back);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &back);
    CHECK(compare(back, MPI_COMM_WORLD) == (size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
    MPI_Comm_free(&back);

    /* Only the odd ranks join. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 1 : MPI_UNDEFINED, 0, &back);
    CHECK((back == MPI_COMM_NULL) == (rank % 2 == 0));
    if (back != MPI_COMM_NULL) {
        MPI_Comm_rank(back, &me);
        CHECK(me == rank / 2);
        MPI_Comm_free(&back);
    }

    MPI_Group world, even;
    int third[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(dup, &world);
    MPI_Group_range_incl(world, 1, third, &even);
    MPI_Comm_create(dup, even, &evens);
    CHECK((evens == MPI_COMM_NULL) == (rank % 2 == 1));
    if (evens != MPI_COMM_NULL) {
        int token = rank;
        MPI_Comm_rank(evens, &me);
        MPI_Comm_size(evens, &n);
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (me + 1) % n, 0, (me + n - 1) % n, 0, evens, MPI_STATUS_IGNORE);
        CHECK(token == (me + n - 1) % n * 2);
        say("%d in evens: %d, token %d\n", rank, me, token);
    }

    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    MPI_Comm_get_name(part, name, &length);
    CHECK(length == 0 && name[0] == 0);
    MPI_Comm_set_name(part, "a third");
    MPI_Comm_get_name(part, name, &length);
    CHECK(strcmp(name, "a third") == 0 && length == 7);

    if (evens != MPI_COMM_NULL) MPI_Comm_free(&evens);
    MPI_Comm_free(&part), MPI_Comm_free(&dup);
    CHECK(part == MPI_COMM_NULL && dup == MPI_COMM_NULL);
    MPI_Group_free(&even), MPI_Group_free(&world);
    return finish();
}
