/* A message belongs to its communicator: same peer, same tag, other communicator does not match. */
#include "check.h"

enum { COMMS = 4 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in[COMMS], out[COMMS], flag;
    MPI_Comm comm[COMMS];
    MPI_Request q[COMMS];
    for (int c = 0; c < COMMS; c++) MPI_Comm_dup(c ? comm[c - 1] : MPI_COMM_WORLD, &comm[c]);
    for (int c = 0; c < COMMS; c++) {
        out[c] = rank * 10 + c;
        MPI_Isend(&out[c], 1, MPI_INT, next, 0, comm[c], &q[c]);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    for (int c = COMMS - 1; c >= 0; c--) {           /* the reverse of the order they were sent in */
        MPI_Recv(&in[c], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[c], MPI_STATUS_IGNORE);
        CHECK(in[c] == previous * 10 + c);
    }
    MPI_Waitall(COMMS, q, MPI_STATUSES_IGNORE);
    say("%d got %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);

    /* A wildcard receive is not confused by a collective on the same communicator. */
    int got = -1, sum;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[0], &q[0]);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[0]);
    MPI_Barrier(comm[0]);
    MPI_Send(&sum, 1, MPI_INT, next, 3, comm[0]);
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    CHECK(got == size * (size - 1) / 2);

    /* A communicator may be freed while a message in it is under way. */
    MPI_Irecv(&got, 1, MPI_INT, previous, 4, comm[1], &q[0]);
    MPI_Isend(&rank, 1, MPI_INT, next, 4, comm[1], &q[1]);
    MPI_Comm_free(&comm[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    CHECK(got == previous);
    MPI_Comm_free(&comm[0]), MPI_Comm_free(&comm[2]), MPI_Comm_free(&comm[3]);
    return finish();
}
