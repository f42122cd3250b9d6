/* Messages of one sender with one tag do not overtake: blocking, non-blocking, small, large, mixed modes. */
#include "check.h"

enum { MESSAGES = 30, LARGE = 40000 };               /* 160 kB: rendezvous almost everywhere */

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request q[MESSAGES];
    int *out = calloc((size_t)MESSAGES * LARGE, sizeof *out), *in = malloc(LARGE * sizeof *in);
    for (int m = 0; m < MESSAGES; m++) {
        int *message = out + (size_t)m * LARGE, n = m % 3 == 1 && m < 9 ? LARGE : m % 7 + 1;
        message[0] = rank * 1000 + m;
        if (m % 2) MPI_Issend(message, n, MPI_INT, next, 7, MPI_COMM_WORLD, &q[m]);
        else MPI_Isend(message, n, MPI_INT, next, 7, MPI_COMM_WORLD, &q[m]);
    }
    for (int m = 0; m < MESSAGES; m++) {
        MPI_Status s;
        int n, expected = m % 3 == 1 && m < 9 ? LARGE : m % 7 + 1;
        MPI_Recv(in, LARGE, MPI_INT, m % 2 ? MPI_ANY_SOURCE : previous, m % 5 ? 7 : MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        MPI_Get_count(&s, MPI_INT, &n);
        CHECK(in[0] == previous * 1000 + m && n == expected);
    }
    MPI_Waitall(MESSAGES, q, MPI_STATUSES_IGNORE);
    say("%d received %d messages in order, last %d\n", rank, MESSAGES, in[0]);
    MPI_Barrier(MPI_COMM_WORLD);

    /* Receives posted first match in the order they were posted. */
    int got[MESSAGES];
    for (int m = 0; m < MESSAGES; m++)
        MPI_Irecv(&got[m], 1, MPI_INT, m % 2 ? previous : MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &q[m]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int m = 0; m < MESSAGES; m++) MPI_Send(&m, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
    MPI_Waitall(MESSAGES, q, MPI_STATUSES_IGNORE);
    for (int m = 0; m < MESSAGES; m++) CHECK(got[m] == m);
    free(out), free(in);
    return finish();
}
