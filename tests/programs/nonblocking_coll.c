/* Every non-blocking collective once, each with a result that is checked after its wait. */
#include "check.h"

#define DONE() MPI_Wait(&q, MPI_STATUS_IGNORE)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Request q;
    MPI_Comm w = MPI_COMM_WORLD;
    int n = size, root = size - 1, a[n], b[n], counts[n], places[n], bytes[n], got = -1;
    MPI_Datatype types[n];
    for (int r = 0; r < n; r++) counts[r] = 1, places[r] = r, bytes[r] = 4 * r, types[r] = MPI_INT, a[r] = rank * 100 + r;

    MPI_Ibarrier(w, &q), DONE();
    int news = rank == root ? 77 : 0;
    MPI_Ibcast(&news, 1, MPI_INT, root, w, &q), DONE();
    CHECK(news == 77);

    MPI_Igather(&rank, 1, MPI_INT, b, 1, MPI_INT, root, w, &q), DONE();
    for (int r = 0; r < n && rank == root; r++) CHECK(b[r] == r);
    memset(b, 0, sizeof b);
    MPI_Igatherv(&rank, 1, MPI_INT, b, counts, places, MPI_INT, root, w, &q), DONE();
    for (int r = 0; r < n && rank == root; r++) CHECK(b[r] == r);
    MPI_Iscatter(a, 1, MPI_INT, &got, 1, MPI_INT, root, w, &q), DONE();
    CHECK(got == root * 100 + rank);
    MPI_Iscatterv(a, counts, places, MPI_INT, &got, 1, MPI_INT, 0, w, &q), DONE();
    CHECK(got == rank);

    MPI_Iallgather(&rank, 1, MPI_INT, b, 1, MPI_INT, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(b[r] == r);
    memset(b, 0, sizeof b);
    MPI_Iallgatherv(&rank, 1, MPI_INT, b, counts, places, MPI_INT, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(b[r] == r);

    MPI_Ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(b[r] == r * 100 + rank);
    memset(b, 0, sizeof b);
    MPI_Ialltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(b[r] == r * 100 + rank);
    memset(b, 0, sizeof b);
    MPI_Ialltoallw(a, counts, bytes, types, b, counts, bytes, types, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(b[r] == r * 100 + rank);

    int sum = n * (n - 1) / 2, hundred = 100 * sum;
    MPI_Ireduce(&rank, &got, 1, MPI_INT, MPI_SUM, root, w, &q), DONE();
    CHECK(rank != root || got == sum);
    MPI_Iallreduce(&rank, &got, 1, MPI_INT, MPI_SUM, w, &q), DONE();
    CHECK(got == sum);
    MPI_Ireduce_scatter(a, &got, counts, MPI_INT, MPI_SUM, w, &q), DONE();
    CHECK(got == hundred + n * rank);
    MPI_Ireduce_scatter_block(a, &got, 1, MPI_INT, MPI_MAX, w, &q), DONE();
    CHECK(got == (n - 1) * 100 + rank);
    MPI_Iscan(&rank, &got, 1, MPI_INT, MPI_SUM, w, &q), DONE();
    CHECK(got == rank * (rank + 1) / 2);
    say("%d scan %d", rank, got);
    MPI_Iexscan(&rank, &got, 1, MPI_INT, MPI_SUM, w, &q), DONE();
    CHECK(rank == 0 || got == rank * (rank - 1) / 2);
    MPI_Iallreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, w, &q), DONE();
    for (int r = 0; r < n; r++) CHECK(a[r] == hundred + n * r);
    say(", sum %d\n", a[n - 1]);
    return finish();
}
