/* Alltoall, Alltoallv with uneven counts, Alltoallw with a type per peer, all of them also in place. */
#include "check.h"

/* How many items rank a sends to rank b. */
static int amount(int a, int b) { return (a + 2 * b) % 4; }
static int symmetric(int a, int b) { return (a + b) % 3; }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *out = malloc(4 * size * sizeof *out), *in = malloc(4 * size * sizeof *in);
    for (int n = 1; n <= 4; n += 3) {
        for (int i = 0; i < n * size; i++) out[i] = rank * 1000 + i, in[i] = -1;
        MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < size; r++)
            for (int i = 0; i < n; i++) CHECK(in[r * n + i] == r * 1000 + rank * n + i);
    }
    memcpy(in, out, 4 * size * sizeof *in);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) CHECK(in[r * 4] == r * 1000 + rank * 4);
    say("%d Alltoall: %d .. %d\n", rank, in[0], in[4 * size - 1]);

    int sends[size], receives[size], from[size], to[size], bytes_from[size], bytes_to[size];
    MPI_Datatype send_types[size], receive_types[size];
    for (int r = 0; r < size; r++) {
        sends[r] = amount(rank, r), receives[r] = amount(r, rank);
        from[r] = to[r] = 4 * r;
        bytes_from[r] = bytes_to[r] = 4 * r * (int)sizeof(int);
        send_types[r] = receive_types[r] = MPI_INT;
        for (int i = 0; i < 4; i++) out[4 * r + i] = rank * 100 + r * 4 + i, in[4 * r + i] = -1;
    }
    MPI_Alltoallv(out, sends, from, MPI_INT, in, receives, to, MPI_INT, MPI_COMM_WORLD);
    for (int pass = 0; pass < 2; pass++) {
        long sum = 0;
        for (int r = 0; r < size; r++)
            for (int i = 0; i < 4; i++) {
                CHECK(in[4 * r + i] == (i < receives[r] ? r * 100 + rank * 4 + i : -1));
                sum += in[4 * r + i];
                in[4 * r + i] = -1;
            }
        say("%d Alltoall%c: sum %ld\n", rank, pass ? 'w' : 'v', sum);
        if (pass == 0)
            MPI_Alltoallw(out, sends, bytes_from, send_types, in, receives, bytes_to, receive_types, MPI_COMM_WORLD);
    }

    /* Alltoallw: towards higher ranks one strided item, towards lower ones three ints; received contiguously. */
    MPI_Datatype every_second;
    MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int r = 0; r < size; r++) {
        sends[r] = r > rank ? 1 : 3, send_types[r] = r > rank ? every_second : MPI_INT;
        receives[r] = rank > r ? 2 : 3;
    }
    MPI_Alltoallw(out, sends, bytes_from, send_types, in, receives, bytes_to, receive_types, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            CHECK(in[4 * r + i] == (i >= receives[r] ? -1 : r * 100 + rank * 4 + (rank > r ? 2 * i : i)));
    MPI_Type_free(&every_second);

    for (int r = 0; r < size; r++) {                 /* in place: both directions have the same length */
        receives[r] = symmetric(rank, r), receive_types[r] = MPI_INT;
        for (int i = 0; i < 4; i++) in[4 * r + i] = rank * 100 + r * 4 + i;
    }
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, receives, to, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, receives, bytes_to, receive_types, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)                   /* there and back again */
        for (int i = 0; i < 4; i++) CHECK(in[4 * r + i] == rank * 100 + r * 4 + i);
    free(out), free(in);
    return finish();
}
