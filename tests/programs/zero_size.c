/* Messages and collectives without data still arrive, match and synchronise. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, count = -1, untouched = 5;
    MPI_Status s;
    MPI_Request q;
    MPI_Irecv(NULL, 0, MPI_INT, previous, 1, MPI_COMM_WORLD, &q);
    MPI_Ssend(NULL, 0, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&q, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == 0 && s.MPI_SOURCE == previous && s.MPI_TAG == 1);
    say("%d empty message from %d\n", rank, s.MPI_SOURCE);

    /* A zero-length message into a larger buffer, and a type of size zero. */
    MPI_Sendrecv(NULL, 0, MPI_DOUBLE, next, 2, &untouched, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &s);
    CHECK(untouched == 5);
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv(&untouched, 3, nothing, next, 3, &untouched, 3, nothing, previous, 3, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, nothing, &count);
    CHECK(untouched == 5 && count == 0);
    MPI_Type_free(&nothing);

    int zeros[64] = {0};
    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&untouched, 0, MPI_INT, &untouched, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&untouched, &count, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoallv(&untouched, zeros, zeros, MPI_INT, &count, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(&untouched, 0, MPI_INT, &count, zeros, zeros, MPI_INT, MPI_COMM_WORLD);
    CHECK(untouched == 5 && count == 0);
    return finish();
}
