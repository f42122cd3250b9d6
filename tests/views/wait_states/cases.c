/* Small programs whose wait states are known: waits CASE. Times between MPI calls are sleeps, which take simulated time. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 8, LARGE = 4 << 20 };

static int rank, ranks;
static char *bytes;

static void work(int milliseconds)
{
    usleep(1000 * milliseconds);
}

static void send(int to, int size)
{
    MPI_Send(bytes, size, MPI_CHAR, to, 0, MPI_COMM_WORLD); /* line: send */
}

static void receive(int from, int size)
{
    MPI_Recv(bytes, size, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line: receive */
}

static void late_sender(void)
{
    if (rank == 0) {
        work(10);
        send(1, SMALL);
    } else if (rank == 1) {
        receive(0, SMALL);
    }
}

static void late_receiver(void)
{
    if (rank == 0) {
        send(1, LARGE);
    } else if (rank == 1) {
        work(20);
        receive(0, LARGE);
    }
}

/* Rank r comes after 2 r ms. */
static void barrier(void)
{
    work(2 * rank);
    MPI_Barrier(MPI_COMM_WORLD); /* line: barrier */
}

static void late_broadcast(void)
{
    if (rank == 2)
        work(15);
    MPI_Bcast(bytes, SMALL, MPI_CHAR, 2, MPI_COMM_WORLD); /* line: bcast */
}

/* The root is there at once, rank 3 after 12 ms. */
static void early_reduce(void)
{
    double sum = 0, one = 1;
    if (rank == 3)
        work(12);
    MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* line: reduce */
}

/* In turn i, rank i comes 5 ms late. */
static void alltoall(void)
{
    for (int turn = 0; turn < ranks; turn++) {
        if (rank == turn)
            work(5);
        MPI_Alltoall(bytes, SMALL, MPI_CHAR, bytes + SMALL * ranks, SMALL, MPI_CHAR, MPI_COMM_WORLD); /* line: alltoall */
    }
}

/* Rank 0 waits for messages of all others, of which that of rank 2 comes last. */
static void waitall(void)
{
    MPI_Request requests[64];
    if (rank == 0) {
        for (int other = 1; other < ranks; other++)
            MPI_Irecv(bytes + SMALL * other, SMALL, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[other - 1]);
        MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE); /* line: waitall */
    } else {
        work(rank == 2 ? 9 : 1);
        MPI_Isend(bytes, SMALL, MPI_CHAR, 0, 0, MPI_COMM_WORLD, requests); /* line: isend */
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
}

/* Two messages to rank 2 share the link of its host; alone each would take half as long. */
static void contention(void)
{
    MPI_Request requests[2];
    if (rank == 2) {
        for (int other = 0; other < 2; other++)
            MPI_Irecv(bytes + other * LARGE, LARGE, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[other]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* line: shared */
    } else if (rank < 2) {
        send(2, LARGE);
    }
}

/* Rank 0 computes 10 ms; each other rank 1 ms between the message that it gets and the one that it sends. */
static void chain(void)
{
    if (rank == 0)
        work(10);
    else
        receive(rank - 1, SMALL);
    if (rank > 0)
        work(1);
    if (rank + 1 < ranks)
        send(rank + 1, SMALL);
}

/* Both are there: the message takes its time. */
static void transfer(void)
{
    if (rank == 0)
        send(1, LARGE);
    else if (rank == 1)
        receive(0, LARGE);
}

/* Whoever sends first is the one that rank 0 waits for. */
static void wildcard(void)
{
    if (rank == 0)
        for (int turn = 1; turn < ranks; turn++)
            MPI_Recv(bytes, SMALL, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line: wildcard */
    else {
        work(4 * (ranks - rank));
        send(0, SMALL);
    }
}

/* The messages arrive while both compute. */
static void overlap(void)
{
    MPI_Request request[2];
    int other = 1 - rank;
    if (rank > 1)
        return;
    MPI_Irecv(bytes, LARGE, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(bytes + LARGE, LARGE, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request[1]);
    work(500);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* A receive that is posted on time, for a message that is sent 3 ms late, 100 times. */
static void repeated(void)
{
    for (int turn = 0; turn < 100; turn++) {
        if (rank == 0) {
            work(3);
            send(1, SMALL);
        } else if (rank == 1) {
            receive(0, SMALL);
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} CASES[] = {
    { "late_sender", late_sender },
    { "late_receiver", late_receiver },
    { "barrier", barrier },
    { "late_broadcast", late_broadcast },
    { "early_reduce", early_reduce },
    { "alltoall", alltoall },
    { "waitall", waitall },
    { "contention", contention },
    { "chain", chain },
    { "transfer", transfer },
    { "wildcard", wildcard },
    { "overlap", overlap },
    { "repeated", repeated },
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = calloc(2, LARGE);
    for (size_t at = 0; at < sizeof CASES / sizeof *CASES; at++)
        if (!strcmp(argv[1], CASES[at].name))
            CASES[at].run();
    free(bytes);
    MPI_Finalize();
}
