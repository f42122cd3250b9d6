/* User-defined operators on operands that are larger than what one request of the simulator to a rank can carry. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 400 * 1000 };

/* Adds elements of any size that consist of longs. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    long words = (long)*count * size / (long)sizeof(long);
    for (long i = 0; i < words; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

static void check(const char *what, int count, int words, MPI_Datatype type, MPI_Op op)
{
    int rank, size;
    long total = (long)count * words, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long *in = malloc(total * sizeof *in), *out = calloc(total, sizeof *out);
    for (long i = 0; i < total; i++)
        in[i] = rank + i;
    MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD);
    for (long i = 0; i < total; i++)
        wrong += out[i] != size * i + (long)size * (size - 1) / 2;
    long all;
    MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %ld wrong\n", what, all);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Op op;
    MPI_Datatype large;
    MPI_Op_create(add, 1, &op);
    MPI_Type_contiguous(WORDS, MPI_LONG, &large);
    MPI_Type_commit(&large);
    check("many small elements", WORDS, 1, MPI_LONG, op);
    check("two elements of 3.2 MB", 2, WORDS, large, op);
    MPI_Type_free(&large);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
