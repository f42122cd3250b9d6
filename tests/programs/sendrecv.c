/* Sendrecv with different sizes each way, Sendrecv_replace, and both with PROC_NULL at the ends of a line. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Status s;
    int count;

    int out[20], in[20] = {0};
    for (int i = 0; i < 20; i++) out[i] = rank * 100 + i;
    MPI_Sendrecv(out, rank % 5 + 1, MPI_INT, next, 3, in, 20, MPI_INT, previous, 3, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == previous % 5 + 1 && in[count - 1] == previous * 100 + count - 1);
    say("%d got %d ints from %d, last %d\n", rank, count, s.MPI_SOURCE, in[count - 1]);

    double moving[3] = {rank, rank + 0.5, -rank};
    MPI_Sendrecv_replace(moving, 3, MPI_DOUBLE, next, 4, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK(moving[0] == previous && moving[1] == previous + 0.5 && s.MPI_TAG == 4);
    say("%d replaced by %.1f %.1f %.1f\n", rank, moving[0], moving[1], moving[2]);

    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int from_left = -7;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 5, &from_left, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &s);
    CHECK(from_left == (rank > 0 ? rank - 1 : -7));
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, &s);
    CHECK(value == (rank > 0 ? rank - 1 : rank));
    say("%d on the line: %d %d\n", rank, from_left, value);
    return finish();
}
