/* Waits and tests on generalised requests and messages together. */
#include "check.h"

#define N 4

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

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, index, flag, many, count;
    int out = 10 * rank, in = -1, indices[N], bytes[2] = {5, 7};
    MPI_Request requests[N] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[N];

    /* Any: the message ends first, since nobody completes the other. */
    MPI_Grequest_start(query, release, cancel, &bytes[0], &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&out, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
    MPI_Waitany(N, requests, &index, &status);
    say("rank %d: any %d from %d: %d\n", rank, index, status.MPI_SOURCE, in);
    MPI_Testany(N, requests, &index, &flag, &status);
    say("rank %d: flag %d\n", rank, flag);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitany(N, requests, &index, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    say("rank %d: any %d, %d bytes, frees %d\n", rank, index, count, frees);
    MPI_Waitany(N, requests, &index, &status);
    say("rank %d: undefined %d\n", rank, index == MPI_UNDEFINED);

    /* Some: all that are complete. */
    in = -1;
    MPI_Grequest_start(query, release, cancel, &bytes[0], &requests[0]);
    MPI_Grequest_start(query, release, cancel, &bytes[1], &requests[2]);
    MPI_Grequest_complete(requests[2]);
    MPI_Waitsome(N, requests, &many, indices, statuses);
    MPI_Get_count(&statuses[0], MPI_BYTE, &count);
    say("rank %d: some %d at %d with %d bytes\n", rank, many, indices[0], count);
    MPI_Testsome(N, requests, &many, indices, statuses);
    say("rank %d: some %d\n", rank, many);
    MPI_Grequest_complete(requests[0]);
    MPI_Testsome(N, requests, &many, indices, statuses);
    say("rank %d: some %d at %d, null %d\n", rank, many, indices[0], requests[0] == MPI_REQUEST_NULL);

    /* All. */
    MPI_Grequest_start(query, release, cancel, &bytes[0], &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[2]);
    MPI_Grequest_start(query, release, cancel, &bytes[1], &requests[3]);
    MPI_Grequest_complete(requests[3]);
    MPI_Testall(N, requests, &flag, statuses);
    say("rank %d: all %d\n", rank, flag);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(N, requests, statuses);
    for (int i = 0; i < N; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    MPI_Get_count(&statuses[0], MPI_BYTE, &count);
    say("rank %d: %d bytes, source %d, ", rank, count, statuses[1].MPI_SOURCE);
    MPI_Get_count(&statuses[3], MPI_BYTE, &count);
    say("%d bytes, got %d, frees %d\n", count, in, frees);
    return finish();
}
