/* Polls that fail cost few switches to the simulator, and take the simulated time that they would take if each were one. Rank 0 probes while the others
   sleep; then all test their receives while messages travel. Prints how often they polled, and dates. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 10, PAUSE = 500 };

static long polls;

/* Rank 0 probes for a message of each of the others, which send one after the other. */
static void probe(int rank, int size) {
    if (rank != 0) {
        usleep(PAUSE * rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int from = 1; from < size; from++) {
        int found = 0, value;
        for (; !found; polls++) MPI_Iprobe(from, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (value != from) printf("rank %d sent %d\n", from, value);
    }
}

/* Each rank sends to the next after a while, and tests two receives in turns meanwhile. The second message comes later than the first. */
static void test(int rank, int size, int round) {
    int next = (rank + 1) % size, last = (rank + size - 1) % size, in[2] = {-1, -1}, out[2] = {round, rank}, done[2] = {0, 0};
    MPI_Request receives[2], sends[2];
    for (int i = 0; i < 2; i++) MPI_Irecv(&in[i], 1, MPI_INT, last, 2 + i, MPI_COMM_WORLD, &receives[i]);
    usleep(rank * 7 % 5 * 20);
    MPI_Isend(&out[0], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[0]);
    while (!done[0])
        for (int i = 0, index; i < 2 && !done[0]; i++, polls++)
            if (i == 0) MPI_Test(&receives[0], &done[0], MPI_STATUS_IGNORE);
            else MPI_Testany(1, &receives[1], &index, &done[1], MPI_STATUS_IGNORE);
    MPI_Isend(&out[1], 1, MPI_INT, next, 3, MPI_COMM_WORLD, &sends[1]);
    double began = MPI_Wtime();
    for (; !done[1] && MPI_Wtime() - began < 10; polls++) MPI_Testall(1, &receives[1], &done[1], MPI_STATUSES_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    if (in[0] != round || in[1] != last) printf("rank %d got %d and %d\n", rank, in[0], in[1]);
}

int main(int argc, char **argv) {
    int rank, size;
    long all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    probe(rank, size);
    double probed = MPI_Wtime();
    for (int round = 0; round < ROUNDS; round++) test(rank, size, round);
    double tested = MPI_Wtime();
    MPI_Reduce(&polls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld polls, %.12f %.12f\n", all, probed, tested);
    MPI_Finalize();
}
