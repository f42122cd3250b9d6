/* Random messages for which ranks poll in all ways, often several at once: random_polls SEED ROUNDS. Prints a number that depends on the dates at which polls
   succeed and on whose messages they find, how often ranks polled, and the last date. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_RANKS = 64, SENDS = 2, BYTES = 200000 };
enum { TEST_ALL, TEST_ANY, TEST_SOME, TEST_IN_TURNS, WAIT, PROBE, WAYS };

static unsigned long long state, seen;
static long polls;
static char out[SENDS][BYTES], in[SENDS * MOST_RANKS][BYTES];

static unsigned below(unsigned limit) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % limit;
}

static void see(unsigned long long what) { seen = seen * 31 + what + 1; }

static int test(int count, MPI_Request *requests) {
    int done;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    polls++;
    return done;
}

/* What one rank does in a round. */
struct part {
    int to[SENDS], bytes[SENDS], pause[SENDS], way;
};

static struct part plan(int size) {
    struct part part = {.way = below(WAYS)};
    for (int i = 0; i < SENDS; i++) {
        int sizes[] = {0, 8, 1000, 70000, below(BYTES)};
        part.to[i] = below(size);
        part.bytes[i] = sizes[below(5)];
        part.pause[i] = below(3) ? 0 : below(300);
    }
    return part;
}

static void probe(int messages, int tag, MPI_Request *sends, int also_test) {
    for (int got = 0; got < messages; polls++) {
        int found;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(in[got++], BYTES, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
            see(status.MPI_SOURCE);
        } else if (also_test) {
            test(SENDS, sends);
        }
    }
}

static void receive(int messages, MPI_Request *receives, MPI_Request *sends, int way) {
    int got = 0, done = 0, sent = 0, found, index, indices[SENDS * MOST_RANKS];
    MPI_Status status;
    switch (way) {
    case TEST_ALL:
        while (!test(messages, receives)) {}
        break;
    case TEST_ANY:
        for (; got < messages; polls++) {
            MPI_Testany(messages, receives, &index, &found, &status);
            if (found && index != MPI_UNDEFINED) see(status.MPI_SOURCE + 7 * index), got++;
        }
        break;
    case TEST_SOME:
        for (; got < messages && MPI_Wtime() < 1e6; polls++) {
            MPI_Testsome(messages, receives, &found, indices, MPI_STATUSES_IGNORE);
            if (found > 0) got += found;
            see(found);
        }
        break;
    case TEST_IN_TURNS:
        while (!done || !sent) done = done || test(messages, receives), sent = sent || test(SENDS, sends);
        break;
    default: MPI_Waitall(messages, receives, MPI_STATUSES_IGNORE);
    }
}

static void round_of(int rank, int size, int tag) {
    struct part mine = {0};
    int messages = 0;
    for (int other = 0; other < size; other++) {
        struct part part = plan(size);
        if (other == rank) mine = part;
        for (int i = 0; i < SENDS; i++) messages += part.to[i] == rank;
    }
    int barrier = below(3) == 0, synchronous = below(2);
    MPI_Request receives[SENDS * MOST_RANKS], sends[SENDS], all = MPI_REQUEST_NULL;
    for (int i = 0; i < messages && mine.way != PROBE; i++) MPI_Irecv(in[i], BYTES, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < SENDS; i++) {
        if (mine.pause[i]) usleep(mine.pause[i]);
        (i > 0 && synchronous ? MPI_Issend : MPI_Isend)(out[i], mine.bytes[i], MPI_CHAR, mine.to[i], tag, MPI_COMM_WORLD, &sends[i]);
    }
    if (barrier) MPI_Ibarrier(MPI_COMM_WORLD, &all);
    if (mine.way == PROBE) probe(messages, tag, sends, rank % 2);
    else receive(messages, receives, sends, mine.way);
    while (!test(1, &all)) {}
    while (!test(SENDS, sends)) {}
    see(MPI_Wtime() * 1e12);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST_RANKS || argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    state = atoi(argv[1]);
    for (int round = 0; round < atoi(argv[2]); round++) round_of(rank, size, round);
    unsigned long long all_seen;
    long all_polls;
    MPI_Reduce(&seen, &all_seen, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&polls, &all_polls, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%llx %ld %.12f\n", all_seen, all_polls, MPI_Wtime());
    MPI_Finalize();
}
