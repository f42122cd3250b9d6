/* One wait for messages and for what another thread completes. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ++*(int *)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void *work(void *request)
{
    volatile double sum = 0;
    for (int i = 0; i < 3000000; i++)
        sum += i;
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, size, frees = 0, in = -1, index, wrong = 0, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        MPI_Request requests[2], copy;
        pthread_t thread;
        MPI_Grequest_start(query, release, cancel, &frees, &requests[0]);
        copy = requests[0];
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &requests[1]);
        pthread_create(&thread, NULL, work, &copy);
        MPI_Send(&round, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
        wrong += requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL || in != round || frees != round + 1;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d mistakes\n", all);
    MPI_Finalize();
    return wrong ? 1 : 0;
}
