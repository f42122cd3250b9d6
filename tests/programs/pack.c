/* Pack and Unpack of mixed data, sent as MPI_PACKED; packed by one side, received typed by the other. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    char buffer[512], got[512], text[12];
    int n = 3 + rank % 4, values[8], at = 0, need = 0, part;
    double d = rank + 0.5;
    snprintf(text, sizeof text, "rank %d", rank);
    for (int i = 0; i < 8; i++) values[i] = rank * 10 + i;
    MPI_Datatype odd;
    MPI_Type_vector(4, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);

    MPI_Pack_size(1 + n, MPI_INT, MPI_COMM_WORLD, &part), need += part;
    MPI_Pack_size(1, MPI_DOUBLE, MPI_COMM_WORLD, &part), need += part;
    MPI_Pack_size(12, MPI_CHAR, MPI_COMM_WORLD, &part), need += part;
    MPI_Pack_size(1, odd, MPI_COMM_WORLD, &part), need += part;
    CHECK(need >= 4 * (1 + n) + 8 + 12 + 16 && need <= 512);

    MPI_Pack(&n, 1, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Pack(values, n, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Pack(&d, 1, MPI_DOUBLE, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Pack(text, 12, MPI_CHAR, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Pack(values + 1, 1, odd, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    CHECK(at <= need);

    MPI_Status s;
    int length, from = 0;
    MPI_Sendrecv(buffer, at, MPI_PACKED, next, 0, got, sizeof got, MPI_PACKED, previous, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_PACKED, &length);
    int m, in[8] = {0}, spread[8];
    double e;
    char hello[12];
    memset(spread, 0xff, sizeof spread);
    MPI_Unpack(got, length, &from, &m, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(got, length, &from, in, m, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(got, length, &from, &e, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(got, length, &from, hello, 12, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Unpack(got, length, &from, spread, 1, odd, MPI_COMM_WORLD);
    CHECK(from == length && m == 3 + previous % 4 && in[m - 1] == previous * 10 + m - 1 && e == previous + 0.5);
    CHECK(spread[0] == previous * 10 + 1 && spread[1] == -1 && spread[6] == previous * 10 + 7);
    say("%d: %d ints, last %d, %.1f, \"%s\", spread %d %d\n", rank, m, in[m - 1], e, hello, spread[2], spread[3]);

    /* Packed by the sender, three plain ints for the receiver; and the other way round. */
    int three[3];
    at = from = 0;
    MPI_Pack(values, 3, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
    MPI_Sendrecv(buffer, at, MPI_PACKED, next, 1, three, 3, MPI_INT, previous, 1, MPI_COMM_WORLD, &s);
    CHECK(three[2] == previous * 10 + 2);
    MPI_Sendrecv(values, 3, MPI_INT, next, 2, got, sizeof got, MPI_PACKED, previous, 2, MPI_COMM_WORLD, &s);
    MPI_Unpack(got, sizeof got, &from, three, 3, MPI_INT, MPI_COMM_WORLD);
    CHECK(three[0] == previous * 10);
    MPI_Type_free(&odd);
    return finish();
}
