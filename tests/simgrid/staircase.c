/* Rank i computes (i + 1) x FLOPS flops, TIMES times, and then sends BYTES to the next rank. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double flops = argc > 1 ? atof(argv[1]) : 1e9;
    int times = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 0, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc(bytes + 1, 1), *in = malloc(bytes + 1);
    for (int i = 0; i < times; i++) {
        smpi_execute_flops(flops * (rank + 1));
        MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
