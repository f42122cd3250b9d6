/* A generalised request that is completed twice.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Grequest_complete at {again} in main: the generalised request is complete already
 */
#include <mpi.h>
#include <stddef.h>

static int query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Grequest_complete(request); /* again */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
