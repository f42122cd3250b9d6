/* An all-to-all and an allreduce; in place if there is an argument. */
#include <mpi.h>
#include <stdlib.h>

enum { BLOCK = 10000 };

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *given = calloc(size, BLOCK), *got = calloc(size, BLOCK);
    const void *input = argc > 1 ? MPI_IN_PLACE : given;
    MPI_Alltoall(input, BLOCK, MPI_CHAR, got, BLOCK, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allreduce(input, got, BLOCK, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    free(given);
    free(got);
    return 0;
}
