/* Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011),
 * section 7.1.3, figures 10 and 11: pairwise all-to-all, written by hand. In step k every rank sends to the
 * rank k above it and receives from the rank k below it.
 * argument: BYTES from each rank to each other (4194304). Prints `rank seconds` for every rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void alltoall(const char *out, char *in, int bytes, int rank, int size)
{
    memcpy(in + (size_t)rank * bytes, out + (size_t)rank * bytes, bytes);
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        MPI_Sendrecv(out + (size_t)to * bytes, bytes, MPI_BYTE, to, step, in + (size_t)from * bytes, bytes, MPI_BYTE, from,
                     step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 4 << 20, rank, size, right = 1, all_right;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char *out = malloc((size_t)size * bytes + 1), *in = calloc((size_t)size * bytes + 1, 1);
    for (int r = 0; r < size; r++) memset(out + (size_t)r * bytes, rank * 7 + r, bytes);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    alltoall(out, in, bytes, rank, size);
    double seconds = MPI_Wtime() - begin, all[size];

    for (int r = 0; r < size && bytes > 0; r++)
        right &= in[(size_t)r * bytes] == (char)(r * 7 + rank) && in[(size_t)(r + 1) * bytes - 1] == (char)(r * 7 + rank);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) printf("%d %.9f\n", r, all[r]);
    free(out), free(in);
    MPI_Finalize();
    return all_right ? 0 : 1;
}
