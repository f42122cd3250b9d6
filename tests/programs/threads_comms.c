/* Threads do collectives at the same time, each in a communicator of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 10 };

static int rank, size;

struct work {
    int number;
    MPI_Comm comm;
    long result;
};

static void *collectives(void *argument)
{
    struct work *work = argument;
    for (int round = 0; round < ROUNDS; round++) {
        long mine = rank + work->number + round, sum = 0, root = round % size;
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, work->comm);
        MPI_Bcast(&root, 1, MPI_LONG, round % size, work->comm);
        if (round % 3 == work->number)
            MPI_Barrier(work->comm);
        long prefix = 0;
        MPI_Scan(&sum, &prefix, 1, MPI_LONG, MPI_SUM, work->comm);
        work->result += prefix + root;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    struct work work[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){ .number = i };
        MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, collectives, &work[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        long all[64];
        MPI_Gather(&work[i].result, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        for (int other = 0; rank == 0 && other < size; other++)
            printf("thread %d of rank %d: %ld\n", i, other, all[other]);
        MPI_Comm_free(&work[i].comm);
    }
    MPI_Finalize();
    return 0;
}
