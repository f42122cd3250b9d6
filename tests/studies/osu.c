/* Stands for the OSU micro-benchmarks that `mpirage calibrate --plan` runs: osu_latency, osu_bw, osu_bibw, osu_mbw_mr, osu_allreduce,
 * osu_allgather, osu_alltoall, by the name of the program. The option is -m FIRST:LAST; output is in the format of version 7. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, ROUNDS = 20 };

static char *out, *in;
static int rank, ranks, pairs, peer;

static double latency(int bytes)
{
    double start = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
        if (rank < pairs)
            MPI_Send(out, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank >= pairs)
            MPI_Send(out, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / ROUNDS / 2;
}

static double window(int bytes, int both_ways)
{
    MPI_Request requests[2 * WINDOW];
    double start = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) {
        int count = 0;
        for (int nth = 0; nth < WINDOW && (rank >= pairs || both_ways); nth++)
            MPI_Irecv(in, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[count++]);
        for (int nth = 0; nth < WINDOW && (rank < pairs || both_ways); nth++)
            MPI_Isend(out, bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[count++]);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        if (rank < pairs)
            MPI_Recv(in, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(out, 4, MPI_CHAR, peer, 2, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / ROUNDS / WINDOW;
}

static double collective(const char *test, int bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), own, sum;
    if (!strcmp(test, "allreduce"))
        MPI_Allreduce(out, in, (bytes + 3) / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(test, "allgather"))
        MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    else
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
    own = MPI_Wtime() - start;
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / ranks;
}

static void print(const char *test, int bytes, double seconds)
{
    double rate = bytes * 1e-6 * pairs / seconds;
    if (!strcmp(test, "bw") || !strcmp(test, "bibw"))
        printf("%-10d %20.2f\n", bytes, !strcmp(test, "bibw") ? 2 * rate : rate);
    else if (!strcmp(test, "mbw_mr"))
        printf("%-10d %20.2f %20.2f\n", bytes, rate, pairs / seconds);
    else
        printf("%-10d %20.2f\n", bytes, 1e6 * seconds);
}

static void head(const char *test)
{
    if (!strcmp(test, "latency"))
        printf("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n");
    else if (!strcmp(test, "bw"))
        printf("# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n");
    else if (!strcmp(test, "bibw"))
        printf("# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n");
    else if (!strcmp(test, "mbw_mr"))
        printf("# OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n# [ pairs: %d ] [ window size: 64 ]\n# Size                  MB/s        Messages/s\n", pairs);
    else
        printf("# OSU MPI %c%s Latency Test v7.3\n# Size       Avg Latency(us)\n", test[0] - 'a' + 'A', test + 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pairs = ranks / 2;
    peer = (rank + pairs) % ranks;
    const char *test = strstr(argv[0], "osu_") + 4;
    int first = 1, last = 1;
    for (int at = 1; at + 1 < argc; at++)
        if (!strcmp(argv[at], "-m"))
            sscanf(argv[at + 1], "%d:%d", &first, &last);
    out = calloc(ranks, last);
    in = calloc(ranks, last);
    if (rank == 0)
        head(test);
    for (int bytes = first; bytes <= last; bytes *= 2) {
        double seconds = 0;
        /* The first round opens connections. */
        for (int round = 0; round < 2; round++)
            seconds = !strcmp(test, "latency") ? latency(bytes) : strstr(test, "bw") ? window(bytes, !strcmp(test, "bibw")) : collective(test, bytes);
        if (rank == 0)
            print(test, bytes, seconds);
    }
    MPI_Finalize();
}
