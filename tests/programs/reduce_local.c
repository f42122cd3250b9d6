/* Reduce_local applies an operator without communication; reductions in place at root and everywhere. */
#include "check.h"

static void subtract(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int a[3] = {rank, 5, 9}, b[3] = {10, 2, 30};
    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_SUM);
    CHECK(b[0] == rank + 10 && b[1] == 7 && b[2] == 39);
    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_MIN);
    CHECK(b[0] == rank && b[1] == 5 && b[2] == 9);
    MPI_Op minus;
    MPI_Op_create(subtract, 0, &minus);
    int c[2] = {1, 2}, d[2] = {10, 20};
    MPI_Reduce_local(c, d, 2, MPI_INT, minus);
    CHECK(d[0] == -9 && d[1] == -18);
    MPI_Op_free(&minus);
    say("%d local %d %d, %d %d\n", rank, b[0], b[1], d[0], d[1]);

    int v = rank + 1, total = size * (size + 1) / 2;
    if (rank == 0) MPI_Reduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else MPI_Reduce(&v, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(v == (rank == 0 ? total : rank + 1));
    int w[2] = {rank, 1};
    MPI_Allreduce(MPI_IN_PLACE, w, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(w[0] == total - size && w[1] == size);
    say("%d in place %d %d\n", rank, v, w[0]);
    return finish();
}
