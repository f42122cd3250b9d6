/* Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011),
 * section 7.1.2, figures 6 and 7: a scatter along a binomial tree, written by hand so that every MPI runs the
 * same algorithm. With 16 ranks, rank 0 sends 8 chunks to rank 8, 4 to rank 4, 2 to rank 2 and 1 to rank 1.
 * arguments: BYTES of one rank's chunk (4194304), and `isend`: a rank starts all its sends at once; or `unchecked`: memory is
 * shared (--share-malloc), so that contents mean nothing. Prints `rank seconds` for every rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int smaller(int a, int b) { return a < b ? a : b; }

/* `chunks` holds this rank's chunk and, behind it, those of its subtree; rank 0 starts with all of them. */
static void scatter(char *chunks, int bytes, int rank, int size, int at_once)
{
    MPI_Request sends[32];
    int mask = 1, sent = 0;
    while (mask < size && !(rank & mask)) mask <<= 1;
    if (rank > 0) {
        int subtree = smaller(mask, size - rank);
        MPI_Recv(chunks, subtree * bytes, MPI_BYTE, rank - mask, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (rank + mask < size) {
            int subtree = smaller(mask, size - rank - mask);
            char *part = chunks + (size_t)mask * bytes;
            if (at_once) MPI_Isend(part, subtree * bytes, MPI_BYTE, rank + mask, 0, MPI_COMM_WORLD, &sends[sent++]);
            else MPI_Send(part, subtree * bytes, MPI_BYTE, rank + mask, 0, MPI_COMM_WORLD);
        }
    MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE);
}

/* How many chunks pass through a rank: its own and those of its subtree. */
static int share(int rank, int size)
{
    int mask = 1;
    while (mask < size && !(rank & mask)) mask <<= 1;
    return smaller(mask, size - rank);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 4 << 20, rank, size, right = 1, all_right;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char *chunks = calloc((size_t)share(rank, size) * bytes + 1, 1);
    if (rank == 0)
        for (int r = 0; r < size; r++) memset(chunks + (size_t)r * bytes, r + 1, bytes);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    scatter(chunks, bytes, rank, size, argc > 2 && !strcmp(argv[2], "isend"));
    double seconds = MPI_Wtime() - begin, all[size];

    for (int i = 0; i < bytes; i += 1 + bytes / 16) right &= chunks[i] == (char)(rank + 1);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) printf("%d %.9f\n", r, all[r]);
    free(chunks);
    MPI_Finalize();
    return all_right || (argc > 2 && !strcmp(argv[2], "unchecked")) ? 0 : 1;
}
