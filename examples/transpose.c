/* Transpose of a matrix stored by block rows: a column datatype and one Alltoall do all the moving. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 3 };                                      /* every rank owns B rows of a (B size) x (B size) matrix */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int n = B * size;
    int *a = malloc((size_t)B * n * sizeof *a), *t = malloc((size_t)B * n * sizeof *t);
    for (int i = 0; i < B; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = (rank * B + i) * 1000 + j;

    /* Sent column by column, received row by row. The send type's extent is one int, so B of them are B columns. */
    MPI_Datatype tall, column, row, block;
    MPI_Type_vector(B, 1, n, MPI_INT, &tall);
    MPI_Type_create_resized(tall, 0, sizeof(int), &column);
    MPI_Type_vector(B, B, n, MPI_INT, &row);
    MPI_Type_create_resized(row, 0, B * sizeof(int), &block);
    MPI_Type_commit(&column);
    MPI_Type_commit(&block);
    MPI_Alltoall(a, B, column, t, 1, block, MPI_COMM_WORLD);

    int right = 1, all;
    long sum = 0, total;
    for (int i = 0; i < B; i++)
        for (int j = 0; j < n; j++) {
            right &= t[i * n + j] == j * 1000 + rank * B + i;
            sum += (long)t[i * n + j] * (j + 1);
        }
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d x %d transposed %s, weighted sum %ld, first row", n, n, all ? "correctly" : "WRONGLY", total);
        for (int j = 0; j < n && j < 9; j++) printf(" %d", t[j]);
        printf("\n");
    }
    MPI_Type_free(&tall), MPI_Type_free(&column), MPI_Type_free(&row), MPI_Type_free(&block);
    free(a), free(t);
    MPI_Finalize();
    return all ? 0 : 1;
}
