/* Hundreds of requests at once, posted in one order and sent in another. */
#include "check.h"

enum { MESSAGES = 300 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    static int in[MESSAGES], out[MESSAGES];
    static MPI_Request q[2 * MESSAGES];
    for (int i = 0; i < MESSAGES; i++) MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < MESSAGES; i++) {
        int tag = i * 7 % MESSAGES;                  /* 7 and 300 have no common divisor */
        out[tag] = rank * 1000 + tag;
        MPI_Isend(&out[tag], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &q[MESSAGES + i]);
    }
    MPI_Waitall(2 * MESSAGES, q, MPI_STATUSES_IGNORE);
    long sum = 0;
    for (int i = 0; i < MESSAGES; i++) {
        CHECK(in[i] == previous * 1000 + i);
        sum += in[i];
    }
    say("%d sum %ld\n", rank, sum);
    return finish();
}
