/* Cancel of a receive that nothing matches; one that has matched is not cancelled. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int in = -1, cancelled = -1, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request q;
    MPI_Status s;

    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Wait(&q, &s);
    MPI_Test_cancelled(&s, &cancelled);
    CHECK(cancelled && in == -1 && q == MPI_REQUEST_NULL);
    say("%d unmatched: cancelled %d\n", rank, cancelled);

    MPI_Irecv(&in, 1, MPI_INT, previous, 51, MPI_COMM_WORLD, &q);
    MPI_Ssend(&rank, 1, MPI_INT, next, 51, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);                     /* all Ssends are over, so all receives have matched */
    MPI_Cancel(&q);
    MPI_Wait(&q, &s);
    MPI_Test_cancelled(&s, &cancelled);
    CHECK(!cancelled && in == previous);
    say("%d matched: cancelled %d, value %d\n", rank, cancelled, in);

    /* A cancelled receive does not eat the message that comes later. */
    int later = -1;
    MPI_Irecv(&in, 1, MPI_INT, previous, 52, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Wait(&q, &s);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 52, &later, 1, MPI_INT, previous, 52, MPI_COMM_WORLD, &s);
    CHECK(later == previous);

    MPI_Irecv(&in, 1, MPI_INT, previous, 53, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Request_free(&q);
    CHECK(q == MPI_REQUEST_NULL);
    return finish();
}
