/* Nothing is sent and nothing received: no function looks at its buffers, which are null or point nowhere. */
#include "check.h"

#define NOWHERE ((void *)16)

static void *buffers[][2] = {{NULL, NOWHERE}, {NOWHERE, NULL}, {NOWHERE, (void *)4096}, {NULL, NULL}};

static void collectives(void *from, void *to, int root)
{
    int zeros[64] = {0}, places[64];
    MPI_Datatype types[64];
    for (int i = 0; i < 64; i++) places[i] = 1000 * i, types[i] = MPI_DOUBLE;
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK(!MPI_Bcast(from, 0, MPI_INT, root, world));
    CHECK(!MPI_Gather(from, 0, MPI_INT, to, 0, MPI_INT, root, world));
    CHECK(!MPI_Gatherv(from, 0, MPI_INT, to, zeros, places, MPI_INT, root, world));
    CHECK(!MPI_Scatter(from, 0, MPI_INT, to, 0, MPI_INT, root, world));
    CHECK(!MPI_Scatterv(from, zeros, places, MPI_INT, to, 0, MPI_INT, root, world));
    CHECK(!MPI_Allgather(from, 0, MPI_INT, to, 0, MPI_INT, world));
    CHECK(!MPI_Allgatherv(from, 0, MPI_INT, to, zeros, places, MPI_INT, world));
    CHECK(!MPI_Alltoall(from, 0, MPI_INT, to, 0, MPI_INT, world));
    CHECK(!MPI_Alltoallv(from, zeros, places, MPI_INT, to, zeros, places, MPI_INT, world));
    CHECK(!MPI_Alltoallw(from, zeros, places, types, to, zeros, places, types, world));
    CHECK(!MPI_Reduce(from, to, 0, MPI_INT, MPI_SUM, root, world));
    CHECK(!MPI_Allreduce(from, to, 0, MPI_INT, MPI_SUM, world));
    CHECK(!MPI_Scan(from, to, 0, MPI_INT, MPI_SUM, world));
    CHECK(!MPI_Exscan(from, to, 0, MPI_INT, MPI_SUM, world));
    CHECK(!MPI_Reduce_scatter(from, to, zeros, MPI_INT, MPI_SUM, world));
    CHECK(!MPI_Reduce_scatter_block(from, to, 0, MPI_INT, MPI_SUM, world));
}

static void nonblocking(void *from, void *to)
{
    int zeros[64] = {0}, n = 0;
    MPI_Datatype types[64];
    for (int i = 0; i < 64; i++) types[i] = MPI_CHAR;
    MPI_Request requests[16];
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK(!MPI_Ibcast(from, 0, MPI_INT, 0, world, &requests[n++]));
    CHECK(!MPI_Igather(from, 0, MPI_INT, to, 0, MPI_INT, 0, world, &requests[n++]));
    CHECK(!MPI_Igatherv(from, 0, MPI_INT, to, zeros, zeros, MPI_INT, 0, world, &requests[n++]));
    CHECK(!MPI_Iscatter(from, 0, MPI_INT, to, 0, MPI_INT, 0, world, &requests[n++]));
    CHECK(!MPI_Iscatterv(from, zeros, zeros, MPI_INT, to, 0, MPI_INT, 0, world, &requests[n++]));
    CHECK(!MPI_Iallgather(from, 0, MPI_INT, to, 0, MPI_INT, world, &requests[n++]));
    CHECK(!MPI_Iallgatherv(from, 0, MPI_INT, to, zeros, zeros, MPI_INT, world, &requests[n++]));
    CHECK(!MPI_Ialltoall(from, 0, MPI_INT, to, 0, MPI_INT, world, &requests[n++]));
    CHECK(!MPI_Ialltoallv(from, zeros, zeros, MPI_INT, to, zeros, zeros, MPI_INT, world, &requests[n++]));
    CHECK(!MPI_Ialltoallw(from, zeros, zeros, types, to, zeros, zeros, types, world, &requests[n++]));
    CHECK(!MPI_Ireduce(from, to, 0, MPI_INT, MPI_SUM, 0, world, &requests[n++]));
    CHECK(!MPI_Iallreduce(from, to, 0, MPI_INT, MPI_SUM, world, &requests[n++]));
    CHECK(!MPI_Iscan(from, to, 0, MPI_INT, MPI_SUM, world, &requests[n++]));
    CHECK(!MPI_Iexscan(from, to, 0, MPI_INT, MPI_SUM, world, &requests[n++]));
    CHECK(!MPI_Ireduce_scatter(from, to, zeros, MPI_INT, MPI_SUM, world, &requests[n++]));
    CHECK(!MPI_Ireduce_scatter_block(from, to, 0, MPI_INT, MPI_SUM, world, &requests[n++]));
    CHECK(!MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

/* Some ranks have something, others have nothing and no buffer. */
static void some_have_nothing(void)
{
    int counts[64], places[64], sum = 0, all[64 * 64];
    for (int r = 0; r < size; r++) counts[r] = r % 2 ? 0 : r + 1, places[r] = sum, sum += counts[r];
    int mine[64];
    for (int i = 0; i < 64; i++) mine[i] = rank;
    MPI_Gatherv(counts[rank] ? mine : NOWHERE, counts[rank], MPI_INT, rank ? NOWHERE : all, counts, places, MPI_INT, 0,
                MPI_COMM_WORLD);
    if (rank == 0) for (int r = 0; r < size; r++) for (int i = 0; i < counts[r]; i++) CHECK(all[places[r] + i] == r);
    MPI_Scatterv(rank ? NULL : all, counts, places, MPI_INT, counts[rank] ? mine : NULL, counts[rank], MPI_INT, 0,
                 MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; i++) CHECK(mine[i] == rank);
    MPI_Allgatherv(counts[rank] ? mine : NOWHERE, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) for (int i = 0; i < counts[r]; i++) CHECK(all[places[r] + i] == r);
}

static void point_to_point(void *from, void *to)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, count = -1;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Sendrecv(from, 0, MPI_INT, next, 1, to, 0, MPI_INT, previous, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 0 && status.MPI_SOURCE == previous);
    MPI_Irecv(to, 0, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from, 0, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(to, 0, MPI_DOUBLE, previous, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend(from, 0, MPI_DOUBLE, next, 3, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(to, 0, MPI_INT, next, 4, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    /* MPICH takes two null pointers for one buffer used twice; an argument asks for them all the same. */
    for (int which = 0; which < (argc > 1 ? 4 : 3); which++) {
        void *from = buffers[which][0], *to = buffers[which][1];
        collectives(from, to, 0);
        collectives(from, to, size - 1);
        nonblocking(from, to);
        point_to_point(from, to);
    }
    some_have_nothing();
    say("%d done\n", rank);
    return finish();
}
