/* shift.c: every rank sends N numbers to its right neighbour, and receives as many from the left. Is that right? */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *out = calloc(n, sizeof *out), *in = calloc(n, sizeof *in);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Send(out, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("shifted %d numbers\n", n);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
