/* Operations on data at hand: Reduce_local, packing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void subtract(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int i, *a = in, *b = inout, size;
    MPI_Type_size(*type, &size);
    for (i = 0; i < *length; i++)
        b[i] -= a[i] + (size == 4 ? 0 : 1000);
}

static void reduce(void)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {10, 0, 30, 7}, commutes, i;
    double x[2] = {1.5, -2}, y[2] = {0.25, 8};
    struct {
        double value;
        int index;
    } p[2] = {{3, 1}, {5, 9}}, q[2] = {{3, 0}, {4, 2}};
    MPI_Op op;
    MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};

    for (i = 0; i < 10; i++) {
        int c[4];
        memcpy(c, b, sizeof c);
        MPI_Reduce_local(a, c, 4, MPI_INT, ops[i]);
        printf("%d: %d %d %d %d\n", i, c[0], c[1], c[2], c[3]);
    }
    MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_PROD);
    printf("%g %g\n", y[0], y[1]);
    MPI_Reduce_local(p, q, 2, MPI_DOUBLE_INT, MPI_MAXLOC);
    printf("%g %d, %g %d\n", q[0].value, q[0].index, q[1].value, q[1].index);
    MPI_Op_create(subtract, 0, &op);
    MPI_Reduce_local(a, b, 4, MPI_INT, op);
    printf("%d %d %d %d\n", b[0], b[1], b[2], b[3]);
    MPI_Op_commutative(op, &commutes);
    printf("commutes %d", commutes);
    MPI_Op_commutative(MPI_SUM, &commutes);
    printf(" %d\n", commutes);
    MPI_Op_free(&op);
    printf("freed %d\n", op == MPI_OP_NULL);
    printf("refused %d %d\n", MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_BAND) != MPI_SUCCESS,
           MPI_Reduce_local(x, y, 2, MPI_DOUBLE_INT, MPI_SUM) != MPI_SUCCESS);
}

static void pack(void)
{
    char buffer[100], text[4] = "abc";
    int position = 0, size, matrix[6] = {1, 2, 3, 4, 5, 6}, column[2];
    MPI_Count large_position = 0, large_size;
    MPI_Datatype type;

    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size(3, type, MPI_COMM_WORLD, &size);
    printf("pack size %d", size);
    MPI_Pack_size_c(3, type, MPI_COMM_WORLD, &large_size);
    printf(" %d\n", (int)large_size);
    MPI_Pack(text, 4, MPI_CHAR, buffer, 100, &position, MPI_COMM_WORLD);
    MPI_Pack(&matrix[1], 1, type, buffer, 100, &position, MPI_COMM_WORLD);
    printf("position %d\n", position);
    large_position = 4;
    MPI_Unpack_c(buffer, 100, &large_position, column, 2, MPI_INT, MPI_COMM_WORLD);
    printf("column %d %d at %d\n", column[0], column[1], (int)large_position);
    position = 0;
    MPI_Unpack(buffer, 100, &position, text, 4, MPI_CHAR, MPI_COMM_WORLD);
    printf("text %s at %d\n", text, position);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    reduce();
    pack();
    MPI_Finalize();
    return 0;
}
