/* Generalised requests that are freed before and after their completion, and looked at without being completed. */
#include "check.h"

static int queries, frees;

static int query(void *state, MPI_Status *status)
{
    queries++;
    MPI_Status_set_elements(status, MPI_CHAR, 11);
    MPI_Status_set_cancelled(status, *(int *)state);
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
    if (!complete)
        *(int *)state = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Request request, copy;
    MPI_Status status;
    int flag, cancelled = 0, was;

    MPI_Grequest_start(query, release, cancel, &cancelled, &request);
    copy = request;
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Grequest_complete(copy);
    say("rank %d: queries %d, frees %d\n", rank, queries, frees);

    MPI_Grequest_start(query, release, cancel, &cancelled, &request);
    MPI_Grequest_complete(request);
    say("rank %d: frees %d\n", rank, frees);
    MPI_Request_free(&request);
    say("rank %d: queries %d, frees %d\n", rank, queries, frees);

    MPI_Grequest_start(query, release, cancel, &cancelled, &request);
    MPI_Request_get_status(request, &flag, &status);
    say("rank %d: flag %d, queries %d\n", rank, flag, queries);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    MPI_Test_cancelled(&status, &was);
    say("rank %d: flag %d, cancelled %d, frees %d, not null %d\n", rank, flag, was, frees,
        request != MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &was);
    say("rank %d: cancelled %d, frees %d\n", rank, was, frees);
    return finish();
}
