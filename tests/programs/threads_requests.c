/* One thread starts operations, another waits for them; persistent and ordinary requests, test loops. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { MESSAGES = 16 };

static int rank, size, out[MESSAGES], in[MESSAGES];
static MPI_Request requests[2 * MESSAGES];
static pthread_barrier_t ready;

static void *start(void *unused)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i < MESSAGES; i++) {
        out[i] = 100 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[MESSAGES + i]);
    }
    pthread_barrier_wait(&ready);
    return unused;
}

static void *wait_for_half(void *unused)
{
    pthread_barrier_wait(&ready);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, flag = 0, sum = 0;
    pthread_t starter, waiter;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_barrier_init(&ready, NULL, 3);
    pthread_create(&starter, NULL, start, NULL);
    pthread_create(&waiter, NULL, wait_for_half, NULL);
    pthread_barrier_wait(&ready);
    while (!flag)
        MPI_Testall(MESSAGES, requests + MESSAGES, &flag, MPI_STATUSES_IGNORE);
    pthread_join(waiter, NULL);
    pthread_join(starter, NULL);
    for (int i = 0; i < MESSAGES; i++)
        sum += in[i];
    int all;
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", all);
    MPI_Finalize();
    return 0;
}
