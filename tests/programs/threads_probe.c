/* Several threads of rank 0 take messages of unknown length with matched probes, until each has got its stop message. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, MESSAGES = 40, DATA = 1, STOP = 2 };

static int rank, size;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum, words, stops;

static void *take(void *unused)
{
    for (int stopped = 0; !stopped;) {
        MPI_Message message;
        MPI_Status status;
        int count, buffer[MESSAGES];
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(buffer, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        stopped = status.MPI_TAG == STOP;
        pthread_mutex_lock(&mutex);
        words += count;
        stops += stopped;
        for (int i = 0; i < count; i++)
            sum += buffer[i];
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, buffer[MESSAGES];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; rank == 0 && i < THREADS; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < MESSAGES; i++) {
        for (int word = 0; word < i; word++)
            buffer[word] = rank + word;
        MPI_Send(buffer, i, MPI_INT, 0, DATA, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == size - 1 && i < THREADS; i++)
        MPI_Send(NULL, 0, MPI_INT, 0, STOP, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (rank == 0)
        printf("words %ld, sum %ld, stops %ld\n", words, sum, stops);
    MPI_Finalize();
    return 0;
}
