/* The main thread of rank 0 spins on a variable until another thread has received a message, which rank 1 sends later. Rank 0 prints
 * how long each of three waits took. With "mutex" the variable is read under a lock. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WAITS = 3 };
static const useconds_t late[WAITS] = {300000, 100000, 50000};
static atomic_int received;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *receive(void *unused)
{
    for (int i = 0; i < WAITS; i++) {
        MPI_Recv(NULL, 0, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&lock);
        received = i + 1;
        pthread_mutex_unlock(&lock);
        MPI_Send(NULL, 0, MPI_INT, 1, i, MPI_COMM_WORLD);
    }
    return unused;
}

static int seen(int locked)
{
    if (!locked)
        return received;
    pthread_mutex_lock(&lock);
    int value = received;
    pthread_mutex_unlock(&lock);
    return value;
}

int main(int argc, char **argv)
{
    int rank, level, locked = argc > 1 && strcmp(argv[1], "mutex") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t thread;
        double start = MPI_Wtime();
        /* The first call of the other thread comes while this one spins. */
        pthread_create(&thread, NULL, receive, NULL);
        for (int i = 0; i < WAITS; i++) {
            while (seen(locked) <= i)
                ;
            double end = MPI_Wtime();
            printf("%.6f\n", end - start);
            start = end;
        }
        pthread_join(thread, NULL);
    } else {
        for (int i = 0; i < WAITS; i++) {
            usleep(late[i]);
            MPI_Send(NULL, 0, MPI_INT, 0, i, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
