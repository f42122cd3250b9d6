/* Mprobe and Improbe take a message out of the queue; Mrecv and Imrecv receive exactly that one. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, count, flag;
    MPI_Request q[2], receive;
    MPI_Status s;
    MPI_Message first, second, none = MPI_MESSAGE_NO_PROC;
    int a[4] = {rank, 1, 1, 1}, b[4] = {rank, 2, 2, 2}, in[4];
    MPI_Isend(a, 3, MPI_INT, next, 5, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(b, 4, MPI_INT, next, 5, MPI_COMM_WORLD, &q[1]);

    MPI_Mprobe(previous, 5, MPI_COMM_WORLD, &first, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == 3);
    do MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &s);
    while (!flag);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == 4);

    MPI_Imrecv(in, 4, MPI_INT, &second, &receive);
    MPI_Wait(&receive, &s);
    CHECK(in[0] == previous && in[1] == 2 && second == MPI_MESSAGE_NULL);
    say("%d second %d %d", rank, in[0], in[1]);
    MPI_Mrecv(in, 3, MPI_INT, &first, &s);
    CHECK(in[0] == previous && in[1] == 1 && first == MPI_MESSAGE_NULL && s.MPI_TAG == 5);
    say(", first %d %d\n", in[0], in[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);

    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, &s);
    CHECK(none == MPI_MESSAGE_NO_PROC && s.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(NULL, 0, MPI_INT, &none, &s);
    CHECK(none == MPI_MESSAGE_NULL);
    return finish();
}
