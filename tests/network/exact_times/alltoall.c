/* One MPI_Alltoall of BYTES per pair (65536). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 65536, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc(size, bytes), *in = malloc((size_t)size * bytes);
    double begin = MPI_Wtime();
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    double mine = MPI_Wtime() - begin, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("SIM alltoall ranks=%d bytes=%d seconds=%.12f\n", size, bytes, slowest);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
