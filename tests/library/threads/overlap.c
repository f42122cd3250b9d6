/* What the main thread and a second thread of rank 0 do at the same time, and how long both take. Argument "sleep": they sleep
 * in simulated time; "work": they compute. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int works;

/* Milliseconds of simulated time, or an amount of work that takes about as long here. */
static void spend(int milliseconds)
{
    volatile double sum = 0;
    if (works)
        for (long i = 0; i < milliseconds * 400000L; i++)
            sum += (double)i;
    else
        usleep(1000 * milliseconds);
}

static void *receive_then_spend(void *milliseconds)
{
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    spend(*(int *)milliseconds);
    return NULL;
}

int main(int argc, char **argv)
{
    /* What rank 1 waits before it sends, what the main thread does, and what the other does after its receive. */
    int cases[][3] = { { 0, 100, 0 }, { 300, 100, 0 }, { 20, 100, 0 }, { 20, 0, 100 }, { 20, 100, 100 } };
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    works = strcmp(argv[1], "work") == 0;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t thread;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (rank == 0) {
            pthread_create(&thread, NULL, receive_then_spend, &cases[i][2]);
            spend(cases[i][1]);
            pthread_join(thread, NULL);
            printf("%.6f\n", MPI_Wtime() - start);
        } else {
            usleep(1000 * cases[i][0]);
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
