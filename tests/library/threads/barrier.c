/* Threads of rank 0 meet in a barrier that spins on a counter under a lock, round by round. Between two meetings the main thread receives a message, which rank 1
 * sends later. With "silent" the other threads never call MPI; with "talking" each sends a message to rank 1. Rank 0 prints how often all have met, and the
 * time of a round. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, LATE = 2000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived, meetings, rounds, talking;

static int met(void)
{
    pthread_mutex_lock(&lock);
    int now = meetings;
    pthread_mutex_unlock(&lock);
    return now;
}

static void meet(void)
{
    pthread_mutex_lock(&lock);
    int before = meetings;
    if (++arrived == THREADS) {
        arrived = 0;
        meetings++;
    }
    pthread_mutex_unlock(&lock);
    while (met() == before)
        ;
}

static void *work(void *number)
{
    for (int i = 0; i < rounds; i++) {
        meet();
        if (talking)
            MPI_Send(NULL, 0, MPI_INT, 1, (int)(size_t)number, MPI_COMM_WORLD);
        meet();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    talking = argc > 1 && strcmp(argv[1], "talking") == 0;
    rounds = argc > 2 ? atoi(argv[2]) : 10;
    if (rank == 0) {
        pthread_t threads[THREADS];
        double start = MPI_Wtime();
        for (size_t i = 1; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)i);
        for (int i = 0; i < rounds; i++) {
            meet();
            MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            meet();
        }
        for (int i = 1; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        printf("%d %.6f\n", meetings, (MPI_Wtime() - start) / rounds);
    } else {
        for (int i = 0; i < rounds; i++) {
            usleep(LATE);
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
            for (int other = 1; talking && other < THREADS; other++)
                MPI_Recv(NULL, 0, MPI_INT, 0, other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
