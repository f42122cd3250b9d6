/* nonblocking.c: two ranks exchange messages with non-blocking calls. nonblocking MESSAGES BYTES MICROSECONDS PERIOD: every PERIOD
 * microseconds each sends, computes so long, and posts the receive only then. A network whose latency is shorter than the computation makes every message unexpected, a
 * longer one makes every message expected. The second synthetic program of Penoff et al., MPI-NeTSim (2009), section VI-B. */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int messages = argc > 1 ? atoi(argv[1]) : 100, bytes = argc > 2 ? atoi(argv[2]) : 32, rank, correct = 1;
    double seconds = argc > 3 ? 1e-6 * atof(argv[3]) : 0.0;
    double period = argc > 4 ? 1e-6 * atof(argv[4]) : 0.0;
    char *out = malloc(bytes), *in = malloc(bytes);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double start = MPI_Wtime();
    for (int message = 0; message < messages; message++) {
        MPI_Request requests[2];
        memset(out, message % 100 + rank, bytes);
        MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        compute(seconds);
        MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        /* The ranks start again at the same time: else one that was once late would stay late. */
        double left = start + (message + 1) * period - MPI_Wtime();
        if (left > 0)
            usleep((useconds_t)(1e6 * left));
        correct &= in[0] == message % 100 + 1 - rank && in[bytes - 1] == in[0];
    }
    printf("rank %d: %s\n", rank, correct ? "all messages are right" : "a message is WRONG");
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
