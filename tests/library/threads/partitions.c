/* Threads of a receiver ask for partitions of one message at the same time, round after round. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, EACH = 2, ROUNDS = 5, PARTITIONS = THREADS * EACH };

static MPI_Request request;
static int data[PARTITIONS], wrong, round_number;

static void *receive(void *number)
{
    for (int i = 0; i < EACH; i++) {
        int partition = *(int *)number * EACH + i, flag = 0;
        while (!flag)
            MPI_Parrived(request, partition, &flag);
        if (data[partition] != 100 * round_number + partition)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, rank, numbers[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTITIONS, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (round_number = 0; round_number < ROUNDS; round_number++) {
        pthread_t threads[THREADS];
        if (rank == 0)
            for (int i = 0; i < PARTITIONS; i++)
                data[i] = 100 * round_number + i;
        MPI_Start(&request);
        if (rank == 0)
            MPI_Pready_range(0, PARTITIONS - 1, request);
        for (int i = 0; rank == 1 && i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, receive, &numbers[i]);
        }
        for (int i = 0; rank == 1 && i < THREADS; i++)
            pthread_join(threads[i], NULL);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank == 1)
        printf("%d of %d partitions wrong\n", wrong, ROUNDS * PARTITIONS);
    MPI_Finalize();
    return 0;
}
