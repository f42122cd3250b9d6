/* What a library does while its ranks are in no call: progress MPI SIZE
 *
 * Prints seconds from a common start to the end of the slower rank.
 *   overlap: rank 0 sends SIZE bytes to rank 1; both, the sender, the receiver or nobody sleeps for half a second between MPI_Isend or
 *            MPI_Irecv and MPI_Wait.
 *   skew:    ranks 0 and 2, and 1 and 3, exchange 16 KiB; ranks 1 and 3 begin some milliseconds later. Then 0 and 1, and 2 and 3, exchange SIZE bytes.
 * Like the program of the testbed, it reads CLOCK_MONOTONIC, which all ranks share. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, SMALL = 16384, REPEATS = 3 };
static char out[LARGEST], in[LARGEST];
static int rank;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void sleep_until(double date)
{
    struct timespec t = { (time_t)date, (long)((date - (time_t)date) * 1e9) };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static double common_start(void)
{
    double date = now() + 0.1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&date, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sleep_until(date);
    return date;
}

static void report(const char *what, const char *which, int size, double start)
{
    double seconds = now() - start, slowest;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank) printf("%s,%s,%d,%.6f\n", what, which, size, slowest), fflush(stdout);
}

static void overlap(const char *who, int sender_sleeps, int receiver_sleeps, int size)
{
    double start = common_start();
    MPI_Request request;
    if (rank < 2) {
        if (rank == 0) {
            sleep_until(start + 0.01);                     /* the receive is there first */
            MPI_Isend(out, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        } else
            MPI_Irecv(in, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        if (rank == 0 ? sender_sleeps : receiver_sleeps) sleep_until(start + 0.5);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    report("overlap", who, size, rank < 2 ? start : now());
}

static void swap(int with, int size)
{
    MPI_Sendrecv(out, size, MPI_CHAR, with, 1, in, size, MPI_CHAR, with, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void skew(const char *milliseconds, int size)
{
    double start = common_start();
    if (rank & 1) sleep_until(start + 1e-3 * atof(milliseconds));
    swap(rank ^ 2, SMALL);
    swap(rank ^ 1, size);
    report("skew", milliseconds, size, start);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int size = atoi(argv[2]);
    swap(rank ^ 1, size), swap(rank ^ 2, size);            /* connections are open, windows have grown */
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        overlap("nobody", 0, 0, size), overlap("sender", 1, 0, size), overlap("receiver", 0, 1, size), overlap("both", 1, 1, size);
        skew("0", size), skew("3", size), skew("10", size), skew("20", size);
    }
    if (getenv("NOFINALIZE")) {                            /* MPICH 4.0 with UCX 1.13 at times hangs in MPI_Finalize */
        MPI_Barrier(MPI_COMM_WORLD), fflush(stdout), usleep(300000), _exit(0);
    }
    MPI_Finalize();
    return 0;
}
