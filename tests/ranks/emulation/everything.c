/* everything.c: what ranks can do while the simulator works: large messages into the memory of a rank that computes, an operator of the
 * program, a non-blocking collective beside computation, polls, probes, clocks, sleeps and threads. */
#include "compute.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LARGE (1 << 20)

static int rank, size, mistakes;

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("rank %d: %s: WRONG\n", rank, what);
        mistakes++;
    }
}

static void take_larger(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static void *work(void *seconds)
{
    compute(*(double *)seconds);
    return NULL;
}

static void large_messages(void)
{
    int *out = malloc(LARGE * sizeof(int)), *in = malloc(LARGE * sizeof(int));
    int next = (rank + 1) % size, before = (rank + size - 1) % size, wrong = 0;
    MPI_Request requests[2];
    for (int i = 0; i < LARGE; i++)
        out[i] = i * (rank + 1);
    MPI_Irecv(in, LARGE, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, LARGE, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    compute(0.005);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < LARGE; i++)
        wrong += in[i] != i * (before + 1);
    expect(wrong == 0, "large messages");
    free(out);
    free(in);
}

static void collectives(void)
{
    MPI_Op op;
    int values[3] = {rank, -rank, 7}, largest[3], total = 0;
    MPI_Request request;
    MPI_Op_create(take_larger, 1, &op);
    MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    compute(0.002 * (rank + 1));
    MPI_Allreduce(values, largest, 3, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(largest[0] == size - 1 && largest[1] == 0 && largest[2] == 7, "an operator of the program");
    expect(total == size * (size - 1) / 2, "a non-blocking collective");
    MPI_Iallreduce(values, largest, 3, MPI_INT, op, MPI_COMM_WORLD, &request);
    compute(0.002 * (rank + 1));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(largest[0] == size - 1, "an operator of the program in a non-blocking collective");
    MPI_Op_free(&op);
}

static void polls(void)
{
    int flag = 0, value = -1, other = rank ^ 1;
    MPI_Request request;
    if (other >= size)
        return;
    if (rank % 2 == 0) {
        compute(0.003);
        MPI_Send(&rank, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&value, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    expect(value == other, "a poll");
    for (flag = 0; !flag;)
        MPI_Iprobe(other, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(value == other, "a probe");
}

static void clocks(void)
{
    double start = MPI_Wtime();
    compute(0.01);
    double computed = MPI_Wtime();
    expect(computed - start >= 0.01, "computation takes scaled real time");
    usleep(20000);
    expect(MPI_Wtime() - computed >= 0.02, "a sleep takes scaled real time");
}

static void threads(void)
{
    pthread_t thread;
    double seconds = 0.02, start = MPI_Wtime();
    pthread_create(&thread, NULL, work, &seconds);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(MPI_Wtime() - start >= seconds, "work of a thread takes scaled real time");
    /* A thread goes on while another is in a call, which takes much longer in real time than in scaled real time. */
    start = MPI_Wtime();
    seconds = 0.05;
    pthread_create(&thread, NULL, work, &seconds);
    usleep(10000);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    expect(MPI_Wtime() - start >= 0.99 * seconds, "work of a thread beside a call takes scaled real time");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    large_messages();
    collectives();
    polls();
    clocks();
    threads();
    if (mistakes == 0)
        printf("rank %d: all right\n", rank);
    MPI_Finalize();
    return mistakes;
}
