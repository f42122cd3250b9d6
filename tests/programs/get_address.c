/* Absolute addresses: Get_address, MPI_BOTTOM, Aint_add and Aint_diff, scattered variables in one message. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int a = rank, *b = malloc(3 * sizeof *b), x = -1, y[3] = {0};
    double c = rank * 0.5, z = 0;
    for (int i = 0; i < 3; i++) b[i] = rank * 10 + i;

    MPI_Aint out_at[3], in_at[3];
    MPI_Get_address(&a, &out_at[0]), MPI_Get_address(b, &out_at[1]), MPI_Get_address(&c, &out_at[2]);
    MPI_Get_address(&x, &in_at[0]), MPI_Get_address(y, &in_at[1]), MPI_Get_address(&z, &in_at[2]);
    MPI_Aint element;
    MPI_Get_address(&b[2], &element);
    CHECK(MPI_Aint_diff(element, out_at[1]) == 2 * sizeof(int));
    CHECK(MPI_Aint_add(out_at[1], 2 * sizeof(int)) == element);

    int lengths[3] = {1, 3, 1};
    MPI_Datatype kinds[3] = {MPI_INT, MPI_INT, MPI_DOUBLE}, out, in;
    MPI_Type_create_struct(3, lengths, out_at, kinds, &out);
    MPI_Type_create_struct(3, lengths, in_at, kinds, &in);
    MPI_Type_commit(&out), MPI_Type_commit(&in);
    MPI_Sendrecv(MPI_BOTTOM, 1, out, next, 0, MPI_BOTTOM, 1, in, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(x == previous && y[2] == previous * 10 + 2 && z == previous * 0.5);
    say("%d got %d, %d %d %d, %.1f\n", rank, x, y[0], y[1], y[2], z);
    MPI_Bcast(MPI_BOTTOM, 1, in, 0, MPI_COMM_WORLD);
    CHECK(x == size - 1 && y[1] == (size - 1) * 10 + 1);
    MPI_Type_free(&out), MPI_Type_free(&in);
    free(b);
    return finish();
}
