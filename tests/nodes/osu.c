/* Ping-pong, windows in one and both directions, many pairs, and collectives, with the loops of the OSU micro-benchmarks.
 * Rank r of the first half talks to rank r + n/2. Prints a line per size: test, bytes, and microseconds or MB/s.
 *
 *   osu latency|bw|bibw|mbw_mr|allreduce|allgather|alltoall SIZE...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, WARM = 1, ROUNDS = 10 };

static char *out, *in;
static int rank, ranks, peer, first;

static void ping_pong(int bytes) {
    if (first)
        MPI_Send(out, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!first)
        MPI_Send(out, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
}

/* Each window is answered with four bytes. */
static void window(int bytes, int both) {
    MPI_Request sends[WINDOW], receives[WINDOW];
    int receiving = !first || both, sending = first || both;
    for (int nth = 0; nth < WINDOW && receiving; nth++)
        MPI_Irecv(in, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &receives[nth]);
    for (int nth = 0; nth < WINDOW && sending; nth++)
        MPI_Isend(out, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &sends[nth]);
    if (sending)
        MPI_Waitall(WINDOW, sends, MPI_STATUSES_IGNORE);
    if (receiving)
        MPI_Waitall(WINDOW, receives, MPI_STATUSES_IGNORE);
    if (first)
        MPI_Recv(in, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(out, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD);
}

static void collective(const char *test, int bytes) {
    if (!strcmp(test, "allreduce"))
        MPI_Allreduce(out, in, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(test, "allgather"))
        MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    else
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

/* Seconds of a round on this rank; collectives are timed one by one, with a barrier after each. */
static double seconds(const char *test, int bytes) {
    int pairs = !strcmp(test, "latency") || strstr(test, "bw") != NULL;
    double all = 0, start = 0;
    for (int round = 0; round < WARM + ROUNDS; round++) {
        if (round == WARM && pairs)
            start = MPI_Wtime();
        if (!strcmp(test, "latency"))
            ping_pong(bytes);
        else if (pairs)
            window(bytes, !strcmp(test, "bibw"));
        else {
            double begin = MPI_Wtime();
            collective(test, bytes);
            all += round < WARM ? 0 : MPI_Wtime() - begin;
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return (pairs ? MPI_Wtime() - start : all) / ROUNDS;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *test = argv[1];
    int half = ranks / 2;
    first = rank < half;
    peer = first ? rank + half : rank - half;
    int gathers = !strcmp(test, "alltoall") || !strcmp(test, "allgather");
    for (int nth = 2; nth < argc; nth++) {
        int bytes = atoi(argv[nth]);
        out = calloc(gathers ? ranks : 1, bytes + 8);
        in = calloc(gathers ? ranks : 1, bytes + 8);
        MPI_Barrier(MPI_COMM_WORLD);
        double own = seconds(test, bytes), sum;
        MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        double mean = sum / ranks;
        if (rank == 0 && !strcmp(test, "latency"))
            printf("%s %d %.9g\n", test, bytes, own / 2 * 1e6);
        else if (rank == 0 && strstr(test, "bw"))
            printf("%s %d %.9g\n", test, bytes, 1e-6 * WINDOW * bytes * (!strcmp(test, "bibw") ? 2 : half) / own);
        else if (rank == 0)
            printf("%s %d %.9g\n", test, bytes, mean * 1e6);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
