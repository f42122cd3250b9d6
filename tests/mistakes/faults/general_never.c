/* A wait for a generalised request that nothing can complete.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 1 was stopped in MPI_Wait at {wait} in main: this waits for a generalised request that is not complete, and the rank has no other thread
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
    int rank;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Grequest_start(query, release, cancel, NULL, &request);
    if (rank == 0)
        MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* wait */
    MPI_Finalize();
    return 0;
}
