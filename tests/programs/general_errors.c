/* Wrong uses of generalised requests, and callbacks that fail. */
#include "check.h"

static int query_code = MPI_SUCCESS, free_code = MPI_SUCCESS;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_CHAR, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return query_code;
}

static int release(void *state)
{
    (void)state;
    return free_code;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Request request;
    int value, code, flag;

    MPI_Irecv(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
    code = MPI_Grequest_complete(request);
    say("rank %d: complete of a receive fails %d\n", rank, code != MPI_SUCCESS);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    code = MPI_Grequest_complete(MPI_REQUEST_NULL);
    say("rank %d: complete of null: request %d\n", rank, class_of(code) == MPI_ERR_REQUEST);

    MPI_Grequest_start(query, release, cancel, NULL, &request);
    code = MPI_Start(&request);
    say("rank %d: start: request %d\n", rank, class_of(code) == MPI_ERR_REQUEST);
    MPI_Grequest_complete(request);
    query_code = MPI_ERR_OTHER;
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("rank %d: query fails %d\n", rank, code != MPI_SUCCESS);
    query_code = MPI_SUCCESS;

    MPI_Grequest_start(query, release, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    free_code = MPI_ERR_OTHER;
    code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    say("rank %d: free fails %d\n", rank, code != MPI_SUCCESS);
    return finish();
}
