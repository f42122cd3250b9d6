/* Generalised requests: the order of callbacks, what they get, and the status that the program fills in. */
#include "check.h"

struct job { int number, queries, frees; };

static int query(void *state, MPI_Status *status)
{
    struct job *job = state;
    job->queries++;
    MPI_Status_set_elements(status, MPI_INT, job->number);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = 100 + job->number;
    say("rank %d: query %d\n", rank, job->number);
    return MPI_SUCCESS;
}

static int release(void *state)
{
    struct job *job = state;
    job->frees++;
    say("rank %d: free %d\n", rank, job->number);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    struct job *job = state;
    say("rank %d: cancel %d complete %d\n", rank, job->number, complete);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct job jobs[3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    MPI_Request requests[3];
    MPI_Status status;
    int flag, count, cancelled;
    for (int i = 0; i < 3; i++)
        MPI_Grequest_start(query, release, cancel, &jobs[i], &requests[i]);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[0] != requests[1]);

    MPI_Test(&requests[0], &flag, &status);
    say("rank %d: complete %d, queries %d\n", rank, flag, jobs[0].queries);
    MPI_Grequest_complete(requests[0]);
    say("rank %d: queries %d, frees %d\n", rank, jobs[0].queries, jobs[0].frees);
    MPI_Wait(&requests[0], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &cancelled);
    say("rank %d: count %d, tag %d, cancelled %d, null %d\n", rank, count, status.MPI_TAG, cancelled,
        requests[0] == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == MPI_UNDEFINED);

    MPI_Grequest_complete(requests[1]);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    say("rank %d: complete %d, queries %d, frees %d\n", rank, flag, jobs[1].queries, jobs[1].frees);

    MPI_Cancel(&requests[2]);
    MPI_Grequest_complete(requests[2]);
    MPI_Cancel(&requests[2]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    say("rank %d: frees %d\n", rank, jobs[2].frees);
    return finish();
}
