/* Waits of threads that end at a date: semaphores in simulated time, conditions and locks in real time. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t posted, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct timespec after(clockid_t clock, double seconds) {
    struct timespec date;
    clock_gettime(clock, &date);
    date.tv_sec += (long)seconds;
    date.tv_nsec += (long)((seconds - (long)seconds) * 1e9);
    if (date.tv_nsec >= 1000000000) {
        date.tv_sec++;
        date.tv_nsec -= 1000000000;
    }
    return date;
}

/* The real clock, which mpirage does not replace in system calls. */
static double real(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *post_later(void *unused) {
    struct timespec span = {0, 200000000};
    nanosleep(&span, NULL);
    sem_post(&posted);
    return unused;
}

int main(int argc, char **argv) {
    int level, rank, result;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sem_init(&posted, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, post_later, NULL);
    double start = MPI_Wtime();
    struct timespec date = after(CLOCK_MONOTONIC, 5);
    result = sem_clockwait(&posted, CLOCK_MONOTONIC, &date);
    double waited = MPI_Wtime() - start;
    pthread_join(thread, NULL);
    if (rank == 0) printf("posted %d, in time %d\n", result, waited >= 0.2 && waited < 0.23);
    start = MPI_Wtime();
    date = after(CLOCK_REALTIME, 1.5);
    result = sem_timedwait(&never, &date);
    if (rank == 0) printf("never posted %d, after %.6f s\n", result == -1 && errno == ETIMEDOUT, MPI_Wtime() - start);
    date = after(CLOCK_REALTIME, 0.05);
    start = real();
    pthread_mutex_lock(&mutex);
    result = pthread_cond_timedwait(&condition, &mutex, &date);
    if (rank == 0) printf("no condition %d, waited %d\n", result == ETIMEDOUT, real() - start > 0.045);
    start = real();
    date = after(CLOCK_REALTIME, 0.05);
    result = pthread_mutex_timedlock(&mutex, &date);
    if (rank == 0) printf("no lock %d, waited %d\n", result == ETIMEDOUT, real() - start > 0.045);
    pthread_mutex_unlock(&mutex);
    MPI_Finalize();
    return 0;
}
