/* kernels.c: programs that communicate like NAS benchmarks of class W on four ranks, for figures 5, 6 and 8 of Penoff et al., MPI-NeTSim
 * (2009): kernels is|cg|mg|lu|bt|ep|dt.
 *
 * They are not the benchmarks. They have the benchmarks' messages (who, how large, in which order), and compute for as long as a
 * processor of 2009 did: the operations that the benchmarks count, at 1 Gflop/s, or 25 million keys or 10 million pairs of random numbers
 * per second. The long ones do fewer iterations.
 *
 *           grid, iterations (of class W)   messages of a rank in an iteration
 *     is    2^20 keys, 10 (10)              allreduce of 4 KB, all-to-all of counts, all-to-all of 256 KB per pair
 *     cg    7000 rows, 3 x 25 (15 x 25)     28 KB and twice 8 B to the other rank of the row, 28 KB to the transposed rank
 *     mg    128^3, 2 (4)                    four exchanges of faces on each of seven levels, 64 KB to 32 B
 *     lu    33^3, 20 (300)                  twice 31 planes of a wavefront with 680 B to two neighbours, faces of 45 KB
 *     bt    24^3, 20 (200)                  faces of 23 KB to six neighbours, three solves with 34 KB forth and 6 KB back, twice each
 *     ep    2^23 pairs (2^25)               none, but three allreduces at the end
 *     dt    4 streams of 442 KB (class S)   one source, two nodes that merge, one sink */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static char out[1 << 20], in[1 << 20];

/* Computes for so much processor time. */
static void compute(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double until = now.tv_sec + 1e-9 * now.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec + 1e-9 * now.tv_nsec < until);
}

/* Operations of all ranks together. */
static void work(double operations)
{
    compute(operations / size / 1e9);
}

static void swap(int peer, int bytes)
{
    MPI_Request request;
    MPI_Irecv(in, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void is(void)
{
    enum { KEYS = 1 << 20, BUCKETS = 1024 + 5 };
    static int sizes[BUCKETS], sums[BUCKETS];
    int each = KEYS / size / size * (int)sizeof(int), *counts = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
    for (int peer = 0; peer < size; peer++)
        counts[peer] = each, places[peer] = peer * each % (1 << 19);
    for (int iteration = 0; iteration < 10; iteration++) {
        compute(0.6 * KEYS / size / 25e6);
        MPI_Allreduce(sizes, sums, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(places, 1, MPI_INT, sums, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
        compute(0.4 * KEYS / size / 25e6);
    }
    MPI_Reduce(sizes, sums, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    free(counts);
    free(places);
}

static void cg(void)
{
    double rows = 7000, entries = 8 * 9;
    int half = (int)rows / 2 * 8, transposed = rank % 2 * 2 + rank / 2;
    for (int iteration = 0; iteration < 3 * 25; iteration++) {
        work(2 * rows * (5 + entries));
        swap(rank ^ 1, half);
        if (transposed != rank)
            swap(transposed, half);
        swap(rank ^ 1, 8);
        swap(rank ^ 1, 8);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void mg(void)
{
    for (int iteration = 0; iteration < 2; iteration++) {
        for (int level = 7; level >= 1; level--) {
            int width = 1 << level, face = width * (width / 2) * 8;
            for (int exchange = 0; exchange < 4; exchange++) {
                work(58.0 / 4 * width * width * width * 7 / 8);
                for (int direction = 1; direction <= 2; direction++) {
                    /* Both sides of a ring of two. */
                    swap(rank ^ direction, face);
                    swap(rank ^ direction, face);
                }
            }
        }
        double norm = 1, sum;
        MPI_Allreduce(&norm, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* One sweep of a wavefront over a grid of 2 x 2 ranks, from corner 0 or from corner 3. */
static void sweep(int corner, double operations)
{
    int first = corner == 0 ? 0 : 1, x = rank % 2 == first, y = rank / 2 == first;
    for (int plane = 0; plane < 31; plane++) {
        if (!x)
            MPI_Recv(in, 680, MPI_CHAR, rank ^ 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!y)
            MPI_Recv(in, 680, MPI_CHAR, rank ^ 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(operations / 31);
        if (x)
            MPI_Send(out, 680, MPI_CHAR, rank ^ 1, 2, MPI_COMM_WORLD);
        if (y)
            MPI_Send(out, 680, MPI_CHAR, rank ^ 2, 3, MPI_COMM_WORLD);
    }
}

static void lu(void)
{
    double operations = 1984.77 * 33 * 33 * 33 - 10923.3 * 33 * 33 + 27770.9 * 33 - 144010, norms[5] = {0}, sums[5];
    for (int iteration = 0; iteration < 20; iteration++) {
        sweep(0, 0.4 * operations);
        sweep(3, 0.4 * operations);
        swap(rank ^ 1, 5 * 2 * 17 * 33 * 8);
        swap(rank ^ 2, 5 * 2 * 17 * 33 * 8);
        work(0.2 * operations);
    }
    MPI_Allreduce(norms, sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bt(void)
{
    double operations = 3478.8 * 24 * 24 * 24 - 17655.7 * 24 * 24 + 28023.7 * 24, norms[5] = {0}, sums[5];
    static const int neighbours[6] = {1, 1, 2, 2, 3, 3};
    for (int iteration = 0; iteration < 20; iteration++) {
        MPI_Request requests[12];
        for (int side = 0; side < 6; side++)
            MPI_Irecv(in + 23040 * side, 23040, MPI_CHAR, rank ^ neighbours[side], 10 + side, MPI_COMM_WORLD, &requests[side]);
        for (int side = 0; side < 6; side++)
            MPI_Isend(out, 23040, MPI_CHAR, rank ^ neighbours[side], 10 + side, MPI_COMM_WORLD, &requests[6 + side]);
        MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        for (int direction = 1; direction <= 3; direction++) {
            for (int stage = 0; stage < 2; stage++) {
                work(operations / 3 / 2);
                swap(rank ^ direction, 30 * 12 * 12 * 8);
            }
            for (int stage = 0; stage < 2; stage++)
                swap(rank ^ direction, 5 * 12 * 12 * 8);
        }
    }
    MPI_Reduce(norms, sums, 5, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void ep(void)
{
    double sums[10] = {0}, totals[10];
    compute((1 << 23) / size / 10e6);
    MPI_Allreduce(sums, totals, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(sums, totals, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(sums, totals, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void dt(void)
{
    int bytes = 1728 * 8 * 4 * 8;
    for (int stream = 0; stream < 4; stream++) {
        if (rank == 0) {
            compute(0.01);
            MPI_Send(out, bytes, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
            MPI_Send(out, bytes, MPI_CHAR, 2, 4, MPI_COMM_WORLD);
        } else if (rank < 3) {
            MPI_Recv(in, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(0.01);
            MPI_Send(out, bytes, MPI_CHAR, 3, 4, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in, bytes, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(in, bytes, MPI_CHAR, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(0.02);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kernels[] = {{"is", is}, {"cg", cg}, {"mg", mg}, {"lu", lu}, {"bt", bt}, {"ep", ep}, {"dt", dt}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc == 2 && size == 4 && strcmp(argv[1], kernels[i].name) == 0) {
            double start = MPI_Wtime();
            kernels[i].run();
            double seconds = MPI_Wtime() - start, longest;
            MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            if (rank == 0)
                printf("%s %.6f s\n", kernels[i].name, longest);
            MPI_Finalize();
            return 0;
        }
    if (rank == 0)
        fprintf(stderr, "kernels is|cg|mg|lu|bt|ep|dt, on four ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}
