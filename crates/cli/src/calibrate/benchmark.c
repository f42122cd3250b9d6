/* What a network model needs to know of an MPI, measured between two ranks, as CSV: op,bytes,seconds.

   pingpong  half a round trip
   send      a call of MPI_Send whose receiver waits
   isend     a call of MPI_Isend
   recv      a call of MPI_Recv whose message has had time to arrive
   gap       the time from one message to the next, if many are sent at once

   Each line is the mean of a few repetitions. The reader takes the median of the lines of a size. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES 11
#define LEAST_LINES 3
/* Seconds for the lines of one size, after which there are no more than the least. */
#define BUDGET 0.1
/* Seconds after which only powers of two, and only powers of four, are measured. */
#define HURRY 10
#define HURRY_MORE 20
#define WARM_UP 3
#define LARGEST (4 << 20)
#define WINDOW 64
#define LARGEST_OF_WINDOW (64 << 10)
/* Seconds that a message is given to arrive before it is received: several round trips, and no less than this. */
#define PATIENCE 50e-6

static int rank;
static double begun;
static char *buffer, *other;

/* Fewer repetitions of what takes long. */
static int repetitions(int bytes) { return bytes <= 64 << 10 ? 10 : 4; }

static void say(const char *op, int bytes, double seconds)
{
    if (rank == 0)
        printf("%s,%d,%.9e\n", op, bytes, seconds);
}

/* Is there time for this size? Rank 0 decides for both. */
static int has_time(int bytes)
{
    double passed = MPI_Wtime() - begun;
    int power = 0, whole, yes;
    while (bytes >> power > 1)
        power++;
    whole = bytes == 1 << power;
    yes = passed < HURRY || (whole && (passed < HURRY_MORE || power % 2 == 0));
    MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return yes;
}

/* Is there to be another line? Rank 0 decides for both. */
static int goes_on(int line, double began)
{
    int more = line < LEAST_LINES || (line < LINES && MPI_Wtime() - began < BUDGET);
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

static void bounce(int bytes)
{
    if (rank == 0) {
        MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(other, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(other, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
}

/* Gives the last time, which tells how long messages travel. */
static double ping_pong(int bytes)
{
    int count = repetitions(bytes);
    double seconds = 0, began = MPI_Wtime();
    for (int i = 0; i < WARM_UP; i++)
        bounce(bytes);
    for (int line = 0; goes_on(line, began); line++) {
        double start = MPI_Wtime();
        for (int i = 0; i < count; i++)
            bounce(bytes);
        seconds = (MPI_Wtime() - start) / (2 * count);
        say("pingpong", bytes, seconds);
    }
    return seconds;
}

static void wait_for(double seconds)
{
    for (double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        ;
}

/* The receiver has posted its receive when the send begins. */
static double sending(int bytes, int blocking)
{
    MPI_Request request;
    double seconds = 0;
    if (rank == 1)
        MPI_Irecv(other, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        double start = MPI_Wtime();
        if (blocking)
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        else
            MPI_Isend(buffer, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
        seconds = MPI_Wtime() - start;
    }
    if (rank == 1 || !blocking)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seconds;
}

static double receiving(int bytes, double patience)
{
    double seconds = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Isend(buffer, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        wait_for(patience);
        double start = MPI_Wtime();
        MPI_Recv(other, bytes, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seconds = MPI_Wtime() - start;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seconds;
}

static void calls(int bytes, double travel)
{
    int count = repetitions(bytes) / 2;
    double patience = 4 * travel > PATIENCE ? 4 * travel : PATIENCE, began = MPI_Wtime();
    for (int line = 0; goes_on(line, began); line++) {
        double send = 0, isend = 0, recv = 0;
        for (int i = 0; i < count; i++) {
            send += sending(bytes, 1);
            isend += sending(bytes, 0);
            recv += receiving(bytes, patience);
        }
        say("send", bytes, send / count);
        say("isend", bytes, isend / count);
        say("recv", bytes, recv / count);
    }
}

static void rate(int bytes)
{
    MPI_Request requests[WINDOW];
    double began = MPI_Wtime();
    for (int line = -1; goes_on(line, began); line++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < WINDOW; i++)
            if (rank == 0)
                MPI_Isend(buffer, bytes, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(other, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        /* The last message has been received when this comes back. */
        if (rank == 0)
            MPI_Recv(other, 0, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(buffer, 0, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
        /* The first window warms up. */
        if (line >= 0)
            say("gap", bytes, (MPI_Wtime() - start) / WINDOW);
    }
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = calloc(LARGEST, 1);
    other = calloc(LARGEST, 1);
    if (size != 2 || !buffer || !other) {
        fprintf(stderr, "the benchmark needs two ranks and memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    begun = MPI_Wtime();
    if (rank == 0)
        printf("op,bytes,seconds\n");
    for (int power = 1; power <= LARGEST; power *= 2)
        for (int bytes = power; bytes <= LARGEST && bytes < 2 * power; bytes += power >= 2 ? power / 2 : power) {
            if (!has_time(bytes))
                continue;
            calls(bytes, ping_pong(bytes));
            if (bytes <= LARGEST_OF_WINDOW)
                rate(bytes);
        }
    free(buffer);
    free(other);
    MPI_Finalize();
    return 0;
}
