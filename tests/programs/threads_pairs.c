/* Each of four threads of a rank exchanges messages with its counterpart in the next rank, under its own tag. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20 };

static int rank, size;
static long sums[THREADS];

static void *exchange(void *argument)
{
    int me = *(int *)argument, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        int out = 1000 * rank + 10 * me + round, in = -1;
        MPI_Status status;
        MPI_Sendrecv(&out, 1, MPI_INT, next, me, &in, 1, MPI_INT, previous, me, MPI_COMM_WORLD, &status);
        if (in != 1000 * previous + 10 * me + round || status.MPI_TAG != me)
            printf("rank %d, thread %d, round %d: wrong message %d\n", rank, me, round, in);
        sums[me] += in;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, exchange, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long total = 0, all = 0;
    for (int i = 0; i < THREADS; i++)
        total += sums[i];
    MPI_Reduce(&total, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("multiple %d, sum %ld\n", provided == MPI_THREAD_MULTIPLE, all);
    MPI_Finalize();
    return 0;
}
