/* Generalised requests that another thread completes while the main thread waits for them. */
#include "check.h"
#include <pthread.h>

static int frees;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    frees++;
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
    int provided, bytes[2] = {3, 4}, out, in = -1, index, done = 0, count;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    learn_rank();
    MPI_Request requests[2], copies[2], message;
    MPI_Status statuses[2];
    pthread_t threads[2];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) {
            MPI_Grequest_start(query, release, cancel, &bytes[i], &requests[i]);
            copies[i] = requests[i];
            pthread_create(&threads[i], NULL, work, &copies[i]);
        }
        if (round == 0) {
            MPI_Waitall(2, requests, statuses);
        } else if (round == 1) {
            for (int i = 0; i < 2; i++) {
                MPI_Waitany(2, requests, &index, &statuses[0]);
                MPI_Get_count(&statuses[0], MPI_BYTE, &count);
                CHECK(count == bytes[index]);
            }
        } else {
            while (!done)
                MPI_Testall(2, requests, &done, statuses);
        }
        for (int i = 0; i < 2; i++) {
            CHECK(requests[i] == MPI_REQUEST_NULL);
            pthread_join(threads[i], NULL);
        }
        out = 10 * rank + round;
        MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &message);
        MPI_Recv(&in, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&message, MPI_STATUS_IGNORE);
        say("rank %d: round %d, frees %d, got %d\n", rank, round, frees, in);
    }
    return finish();
}
