/* The lower half of the ranks sends to the upper half, all at once: rank i sends BYTES + i * MORE to rank i + size/2.
 * With BOTH = 1 the upper half sends as well. Every receiver's end is printed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20, more = argc > 2 ? atoi(argv[2]) : 0, both = argc > 3 && atoi(argv[3]);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int half = size / 2, pair = rank % half, peer = (rank + half) % size, n = bytes + pair * more;
    char *out = calloc(n + 1, 1), *in = malloc(n + 1);
    MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    double begin = MPI_Wtime();
    if (rank >= half || both) MPI_Irecv(in, n, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &q[0]);
    if (rank < half || both) MPI_Isend(out, n, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    double seconds = MPI_Wtime() - begin, *all = malloc(size * sizeof *all);
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = both ? 0 : half; rank == 0 && r < size; r++) printf("SIM flows rank=%d bytes=%d seconds=%.12f\n", r, bytes + r % half * more, all[r]);
    free(out), free(in), free(all);
    MPI_Finalize();
    return 0;
}
