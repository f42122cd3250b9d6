/* One thread receives tasks and puts them into a queue; two others take them, compute, and send results: mutex and condition
 * variable between them. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { TASKS = 30, WORKERS = 2, STOP = -1, TASK = 1, RESULT = 2 };

static int rank, size;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[2 * TASKS], head, tail;

static void put(int task)
{
    pthread_mutex_lock(&mutex);
    queue[tail++] = task;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    while (head == tail)
        pthread_cond_wait(&filled, &mutex);
    int task = queue[head++];
    pthread_mutex_unlock(&mutex);
    return task;
}

static void *receive(void *unused)
{
    int task = 0;
    while (task != STOP) {
        MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task != STOP)
            put(task);
    }
    for (int i = 0; i < WORKERS; i++)
        put(STOP);
    return unused;
}

static void *work(void *unused)
{
    for (int task = take(); task != STOP; task = take()) {
        int result = task * task;
        MPI_Send(&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
    return unused;
}

static void *hand_out(void *unused)
{
    for (int task = 0; task < TASKS; task++)
        MPI_Send(&task, 1, MPI_INT, task % size, TASK, MPI_COMM_WORLD);
    for (int to = 0, stop = STOP; to < size; to++)
        MPI_Send(&stop, 1, MPI_INT, to, TASK, MPI_COMM_WORLD);
    return unused;
}

static void *collect(void *sum)
{
    for (int i = 0, result; i < TASKS; i++) {
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *(long *)sum += result;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, count = 0;
    long sum = 0;
    pthread_t threads[WORKERS + 3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[count++], NULL, work, NULL);
    pthread_create(&threads[count++], NULL, receive, NULL);
    if (rank == 0) {
        pthread_create(&threads[count++], NULL, collect, &sum);
        pthread_create(&threads[count++], NULL, hand_out, NULL);
    }
    while (count > 0)
        pthread_join(threads[--count], NULL);
    if (rank == 0)
        printf("sum of squares %ld\n", sum);
    MPI_Finalize();
    return 0;
}
