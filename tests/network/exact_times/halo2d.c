/* Periodic 2-D halo exchange on a square grid of ranks: REPEATS (100), BYTES per side (10240), and whether all of them are WRITTEN
   before they are sent (0). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int repeats = argc > 1 ? atoi(argv[1]) : 100, bytes = argc > 2 ? atoi(argv[2]) : 10240, rank, size, side = 1;
    int written = argc > 3 && atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (side * side < size) side++;
    int x = rank % side, y = rank / side;
    int neighbour[4] = {y * side + (x + 1) % side, y * side + (x + side - 1) % side,
                        (y + 1) % side * side + x, (y + side - 1) % side * side + x};
    char *out = calloc(4, bytes), *in = malloc((size_t)4 * bytes);
    double begin = MPI_Wtime();
    for (int i = 0; i < repeats; i++) {
        MPI_Request q[8];
        if (written) memset(out, rank + i, (size_t)4 * bytes);
        for (int d = 0; d < 4; d++)                  /* what comes from d was sent in the opposite direction, d ^ 1 */
            MPI_Irecv(in + (size_t)d * bytes, bytes, MPI_CHAR, neighbour[d], d ^ 1, MPI_COMM_WORLD, &q[d]);
        for (int d = 0; d < 4; d++)
            MPI_Isend(out + (size_t)d * bytes, bytes, MPI_CHAR, neighbour[d], d, MPI_COMM_WORLD, &q[4 + d]);
        MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
    }
    double mine = MPI_Wtime() - begin, slowest;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("SIM halo2d ranks=%d repeats=%d bytes=%d seconds=%.12f\n", size, repeats, bytes, slowest);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
