/* Subarrays: blocks of a 2-D array, the six faces of a 3-D one, C and Fortran order. */
#include "check.h"

enum { NX = 4, NY = 5, NZ = 6 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype t;

    int flat[6 * 8], block[6], sizes2[2] = {6, 8}, sub2[2] = {2, 3}, at2[2] = {3, 4};
    for (int i = 0; i < 48; i++) flat[i] = rank * 100 + i;
    for (int order = 0; order < 2; order++) {
        MPI_Type_create_subarray(2, sizes2, sub2, at2, order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t);
        MPI_Type_commit(&t);
        MPI_Sendrecv(flat, 1, t, next, 0, block, 6, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(block[0] == previous * 100 + (order ? 3 + 6 * 4 : 3 * 8 + 4));
        say("%d %s block:", rank, order ? "Fortran" : "C");
        for (int i = 0; i < 6; i++) say(" %d", block[i]);
        say("\n");
        MPI_Type_free(&t);
    }

    /* Faces of a cube with one ghost layer. */
    static double cube[NX + 2][NY + 2][NZ + 2];
    for (int i = 0; i < NX + 2; i++)
        for (int j = 0; j < NY + 2; j++)
            for (int k = 0; k < NZ + 2; k++) cube[i][j][k] = rank * 1000 + i * 100 + j * 10 + k;
    int sizes[3] = {NX + 2, NY + 2, NZ + 2}, inner[3] = {NX, NY, NZ};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            int sub[3] = {NX, NY, NZ}, from[3] = {1, 1, 1}, to[3] = {1, 1, 1};
            sub[d] = 1;
            from[d] = side ? inner[d] : 1;           /* our outermost layer … */
            to[d] = side ? 0 : inner[d] + 1;         /* … goes to the opposite ghost layer */
            MPI_Datatype out, in;
            MPI_Type_create_subarray(3, sizes, sub, from, MPI_ORDER_C, MPI_DOUBLE, &out);
            MPI_Type_create_subarray(3, sizes, sub, to, MPI_ORDER_C, MPI_DOUBLE, &in);
            MPI_Type_commit(&out), MPI_Type_commit(&in);
            MPI_Sendrecv(cube, 1, out, next, d, cube, 1, in, previous, d, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            double want = previous * 1000 + from[0] * 100 + from[1] * 10 + from[2];
            CHECK(cube[to[0]][to[1]][to[2]] == want);
            say("%d face %d%c: %.0f\n", rank, d, side ? '+' : '-', cube[to[0]][to[1]][to[2]]);
            MPI_Type_free(&out), MPI_Type_free(&in);
        }
    CHECK(cube[0][0][0] == rank * 1000);             /* corners are nobody's business */
    CHECK(cube[2][2][2] == rank * 1000 + 222);
    return finish();
}
