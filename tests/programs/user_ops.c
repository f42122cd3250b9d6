/* Operators of the program: a commutative one, a matrix product that must keep rank order, one on a struct type. */
#include "check.h"

/* Sum modulo 97. */
static void add_mod(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *n; i++) b[i] = (a[i] + b[i]) % 97;
}

typedef struct { long m[2][2]; } matrix;

static matrix product(matrix a, matrix b)
{
    matrix c;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) c.m[i][j] = (a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j]) % 10007;
    return c;
}

/* inout = in * inout: the left operand is the one of the lower ranks. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    matrix *a = in, *b = inout;
    for (int i = 0; i < *n; i++) b[i] = product(a[i], b[i]);
}

static matrix of_rank(int r) { return (matrix){{{r + 1, 1}, {r % 2, 2}}}; }

static int same(matrix a, matrix b) { return memcmp(&a, &b, sizeof a) == 0; }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Op mod, mul;
    int commutes = -1;
    MPI_Op_create(add_mod, 1, &mod);
    MPI_Op_create(multiply, 0, &mul);
    MPI_Op_commutative(mod, &commutes);
    CHECK(commutes == 1);
    MPI_Op_commutative(mul, &commutes);
    CHECK(commutes == 0);

    int v[40], sum[40];
    for (int i = 0; i < 40; i++) v[i] = rank * 13 + i;
    MPI_Allreduce(v, sum, 40, MPI_INT, mod, MPI_COMM_WORLD);
    for (int i = 0; i < 40 && size > 1; i++) CHECK(sum[i] == (13 * size * (size - 1) / 2 + size * i) % 97);
    say("%d sum %d\n", rank, sum[39]);

    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_LONG, &type);
    MPI_Type_commit(&type);
    matrix mine[3] = {of_rank(rank), of_rank(rank + 1), of_rank(rank * 2)}, all[3], prefix, before, want = of_rank(0), left = want;
    for (int r = 1; r < size; r++) {
        want = product(want, of_rank(r));
        if (r < rank) left = product(left, of_rank(r));
    }
    matrix upto = rank == 0 ? of_rank(0) : product(left, of_rank(rank));
    MPI_Allreduce(mine, all, 3, type, mul, MPI_COMM_WORLD);
    CHECK(same(all[0], want));
    say("%d product %ld %ld %ld %ld\n", rank, all[0].m[0][0], all[0].m[0][1], all[0].m[1][0], all[0].m[1][1]);
    for (int root = 0; root < size; root++) {
        MPI_Reduce(mine, all, 3, type, mul, root, MPI_COMM_WORLD);
        CHECK(rank != root || same(all[0], want));
    }
    MPI_Scan(mine, &prefix, 1, type, mul, MPI_COMM_WORLD);
    CHECK(same(prefix, upto));
    MPI_Exscan(mine, &before, 1, type, mul, MPI_COMM_WORLD);
    CHECK(rank == 0 || same(before, left));
    say("%d prefix %ld %ld\n", rank, prefix.m[0][0], prefix.m[1][1]);

    matrix *many = malloc(size * sizeof *many), one;
    for (int r = 0; r < size; r++) many[r] = of_rank(rank);
    MPI_Reduce_scatter_block(many, &one, 1, type, mul, MPI_COMM_WORLD);
    CHECK(same(one, want));
    free(many);

    MPI_Type_free(&type);
    MPI_Op_free(&mod);
    MPI_Op_free(&mul);
    CHECK(mod == MPI_OP_NULL && mul == MPI_OP_NULL);
    return finish();
}
