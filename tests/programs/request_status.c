/* Request_get_status looks without freeing; a freed send still arrives; mixed arrays of active and null requests. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in = -1, flag = 0;
    MPI_Request q, list[3];
    MPI_Status s, statuses[3];

    MPI_Irecv(&in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &q);
    MPI_Request_get_status(q, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    while (!flag) MPI_Request_get_status(q, &flag, &s);
    MPI_Request_get_status(q, &flag, &s);
    CHECK(flag && in == previous && s.MPI_SOURCE == previous && q != MPI_REQUEST_NULL);
    MPI_Wait(&q, &s);
    CHECK(q == MPI_REQUEST_NULL && s.MPI_TAG == 1);

    int freed = rank + 1000;
    MPI_Isend(&freed, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &q);
    MPI_Request_free(&q);
    CHECK(q == MPI_REQUEST_NULL);
    MPI_Recv(&in, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == previous + 1000);
    say("%d from a freed request: %d\n", rank, in);
    MPI_Barrier(MPI_COMM_WORLD);                     /* `freed` may be reused after this */

    list[0] = list[2] = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &list[1]);
    MPI_Send(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
    int index = -1;
    MPI_Waitany(3, list, &index, &s);
    CHECK(index == 1 && in == previous);
    MPI_Waitall(3, list, statuses);
    for (int i = 0; i < 3; i++) CHECK(statuses[i].MPI_SOURCE == MPI_ANY_SOURCE && statuses[i].MPI_TAG == MPI_ANY_TAG);
    MPI_Testall(3, list, &flag, statuses);
    CHECK(flag);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    return finish();
}
