/* Ping-pong, bandwidth and message rate between pairs of ranks, in the manner of the OSU micro-benchmarks: rank r talks to rank
 * r + n/2. Prints one line per size: the test, pairs, bytes, and microseconds (latency) or million messages per second.
 *
 *   osu_like latency|rate SIZE...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Windows of very large messages are short: this machine copies every byte. */
enum { WINDOW = 64, ROUNDS = 4, LARGE = 1 << 24, SHORT_WINDOW = 4 };

static char *buffer;

static double latency(int size, int peer, int first) {
    double start = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
        if (first) {
            MPI_Send(buffer, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / ROUNDS / 2;
}

/* Seconds of one message of a window; the receiver answers each window with four bytes. */
static double rate(int size, int peer, int first) {
    MPI_Request requests[WINDOW];
    int window = size > LARGE ? SHORT_WINDOW : WINDOW;
    double start = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
        for (int nth = 0; nth < window; nth++) {
            if (first)
                MPI_Isend(buffer, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[nth]);
            else
                MPI_Irecv(buffer, size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[nth]);
        }
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (first)
            MPI_Recv(buffer, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(buffer, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / ROUNDS / window;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int pairs = ranks / 2, first = rank < pairs, peer = first ? rank + pairs : rank - pairs;
    int by_rate = argc > 1 && strcmp(argv[1], "rate") == 0;
    buffer = calloc(1, (size_t)1 << 28);
    for (int nth = 2; nth < argc; nth++) {
        int size = atoi(argv[nth]);
        MPI_Barrier(MPI_COMM_WORLD);
        double own = by_rate ? rate(size, peer, first) : latency(size, peer, first), slowest;
        MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && by_rate)
            printf("rate %d %d %.9g\n", pairs, size, pairs / slowest * 1e-6);
        else if (rank == 0)
            printf("latency %d %d %.9g\n", pairs, size, slowest * 1e6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
