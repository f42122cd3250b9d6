/* An MPI_Alltoallv whose sizes all differ: rank s sends to rank r between BYTES / 2 and 3 * BYTES / 2. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int size_of(int from, int to, int bytes)
{
    unsigned mixed = (unsigned)from * 2654435761u ^ (unsigned)to * 2246822519u;
    return bytes / 2 + (int)((mixed >> 8) % (unsigned)bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 1024;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = calloc(4 * size, sizeof *counts);
    int *places = counts + size, *from_counts = counts + 2 * size, *from_places = counts + 3 * size, out = 0, in = 0;
    for (int peer = 0; peer < size; peer++) {
        counts[peer] = size_of(rank, peer, bytes);
        from_counts[peer] = size_of(peer, rank, bytes);
        places[peer] = out;
        from_places[peer] = in;
        out += counts[peer];
        in += from_counts[peer];
    }
    char *sent = calloc(1, out), *received = calloc(1, in);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Alltoallv(sent, counts, places, MPI_CHAR, received, from_counts, from_places, MPI_CHAR, MPI_COMM_WORLD);
    if (rank == 0)
        printf("SIM seconds=%.12f\n", MPI_Wtime() - start);
    free(sent), free(received), free(counts);
    MPI_Finalize();
    return 0;
}
