/* Probe and Iprobe tell source, tag and length before the receive; afterwards the message is still there. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, flag, count;
    MPI_Status s, again;
    MPI_Request q[3];

    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &s);
    CHECK(!flag);                                    /* nobody ever sends tag 77 */

    int out[50];
    for (int i = 0; i < 50; i++) out[i] = rank + i;
    MPI_Isend(out, rank + 1, MPI_INT, next, 10, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(out, 2 * rank, MPI_INT, next, 11, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out, 50, MPI_INT, next, 12, MPI_COMM_WORLD, &q[2]);

    MPI_Probe(previous, 11, MPI_COMM_WORLD, &s);     /* not the first one */
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == 2 * previous && s.MPI_SOURCE == previous && s.MPI_TAG == 11);
    say("%d tag 11: %d ints", rank, count);

    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &again);
    CHECK(s.MPI_TAG == 10 && again.MPI_TAG == 10 && s.MPI_SOURCE == previous);
    MPI_Get_count(&s, MPI_INT, &count);
    int *in = malloc(count * sizeof *in);
    MPI_Recv(in, count, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[count - 1] == previous + count - 1);
    say(", tag 10: %d ints, last %d", count, in[count - 1]);
    free(in);

    do MPI_Iprobe(previous, 12, MPI_COMM_WORLD, &flag, &s);
    while (!flag);
    MPI_Get_count(&s, MPI_CHAR, &count);
    int large[50], small[50];
    MPI_Recv(large, 50, MPI_INT, previous, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(small, 50, MPI_INT, previous, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(count == 200 && large[49] == previous + 49);
    say(", tag 12: %d bytes\n", count);
    MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
    return finish();
}
