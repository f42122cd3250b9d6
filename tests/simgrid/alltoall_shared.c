/* One MPI_Alltoall of BYTES per pair (65536) with buffers that all ranks share: only sizes matter. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 65536, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = SMPI_SHARED_MALLOC((size_t)size * bytes), *in = SMPI_SHARED_MALLOC((size_t)size * bytes);
    double begin = MPI_Wtime();
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    double mine = MPI_Wtime() - begin, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("SIM alltoall_shared ranks=%d bytes=%d seconds=%.12f\n", size, bytes, slowest);
    SMPI_SHARED_FREE(out);
    SMPI_SHARED_FREE(in);
    MPI_Finalize();
    return 0;
}
