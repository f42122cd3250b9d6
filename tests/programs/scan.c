/* Scan and Exscan, several operations, in place too; Exscan leaves rank 0 alone. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int v[3] = {rank + 1, 1, -rank}, out[3] = {0};
    MPI_Scan(v, out, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(out[0] == (rank + 1) * (rank + 2) / 2 && out[1] == rank + 1 && out[2] == -rank * (rank + 1) / 2);
    say("%d scan %d %d %d\n", rank, out[0], out[1], out[2]);

    int ex[3] = {-5, -5, -5};
    MPI_Exscan(v, ex, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) {
        CHECK(ex[0] == rank * (rank + 1) / 2 && ex[1] == rank);
        say("%d exscan %d %d %d\n", rank, ex[0], ex[1], ex[2]);
    }

    int high = (rank * 5) % 7, top;
    MPI_Scan(&high, &top, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int want = 0;
    for (int r = 0; r <= rank; r++)
        if (r * 5 % 7 > want) want = r * 5 % 7;
    CHECK(top == want);

    double d[2] = {rank, 2};
    MPI_Scan(MPI_IN_PLACE, d, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(d[0] == rank * (rank + 1) / 2 && d[1] == 2 * (rank + 1));
    long x = 3 * rank;
    MPI_Exscan(MPI_IN_PLACE, &x, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank == 0 || x == 3L * rank * (rank - 1) / 2);
    say("%d max so far %d, in place %.0f\n", rank, top, d[0]);
    return finish();
}
