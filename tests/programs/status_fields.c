/* What a status says: source, tag, error, count, elements of derived types, MPI_UNDEFINED for partial items. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Status s;
    MPI_Datatype pair, mixed;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, kinds, &mixed);
    MPI_Type_commit(&mixed);

    int out[16] = {0}, in[16], ints, pairs, elements, bytes;
    for (int n = 0; n <= 5; n++) {
        MPI_Sendrecv(out, n, MPI_INT, next, 20 + n, in, 16, MPI_INT, previous, 20 + n, MPI_COMM_WORLD, &s);
        CHECK(s.MPI_SOURCE == previous && s.MPI_TAG == 20 + n);
        MPI_Get_count(&s, MPI_INT, &ints);
        MPI_Get_count(&s, MPI_BYTE, &bytes);
        CHECK(ints == n && bytes == 4 * n);
        MPI_Sendrecv(out, n, MPI_INT, next, 40, in, 8, pair, previous, 40, MPI_COMM_WORLD, &s);
        MPI_Get_count(&s, pair, &pairs);
        MPI_Get_elements(&s, pair, &elements);
        CHECK(pairs == (n % 2 ? MPI_UNDEFINED : n / 2) && elements == n);
        if (pairs == MPI_UNDEFINED) say("%d %d ints: pairs undefined, elements %d\n", rank, n, elements);
        else say("%d %d ints: pairs %d, elements %d\n", rank, n, pairs, elements);
    }

    /* One whole item and the first int of a second one: 4 elements. */
    char raw[64] = {0}, got[64];
    int whole;
    MPI_Datatype head;
    int head_lengths[3] = {1, 2, 1};
    MPI_Aint head_places[3] = {0, 8, 24};
    MPI_Datatype head_kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
    MPI_Type_create_struct(3, head_lengths, head_places, head_kinds, &head);
    MPI_Type_commit(&head);
    MPI_Sendrecv(raw, 1, head, next, 41, got, 2, mixed, previous, 41, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, mixed, &whole);
    MPI_Get_elements(&s, mixed, &elements);
    CHECK(whole == MPI_UNDEFINED && elements == 4);
    say("%d struct and a bit: %d elements\n", rank, elements);

    /* Statuses of calls that received nothing. */
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Wait(&null, &s);
    MPI_Get_count(&s, MPI_INT, &ints);
    CHECK(s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG && ints == 0);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_INT, &ints);
    CHECK(s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && ints == 0);
    MPI_Type_free(&pair), MPI_Type_free(&mixed), MPI_Type_free(&head);
    return finish();
}
