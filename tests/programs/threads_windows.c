/* Threads of all ranks count in one window, each with operations of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 25 };

static MPI_Win window;
static int size;

static void *count(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        long one = 1, before;
        MPI_Fetch_and_op(&one, &before, MPI_LONG, round % size, me, MPI_SUM, window);
        MPI_Win_flush(round % size, window);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, numbers[THREADS];
    long *counts;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(THREADS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counts, &window);
    for (int i = 0; i < THREADS; i++)
        counts[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, count, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    long total = 0, all;
    for (int i = 0; i < THREADS; i++)
        total += counts[i];
    MPI_Reduce(&total, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("counted %ld\n", all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
