/* A collective of the program's own as a generalised request: a ring of messages that the program moves on while it polls. */
#include "check.h"

struct ring { MPI_Request message, self; int step, sum, in, out, left, right; };

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, ((struct ring *)state)->step);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ((struct ring *)state)->message = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void post(struct ring *ring)
{
    MPI_Irecv(&ring->in, 1, MPI_INT, ring->left, 77, MPI_COMM_WORLD, &ring->message);
    MPI_Send(&ring->out, 1, MPI_INT, ring->right, 77, MPI_COMM_WORLD);
}

static void move(struct ring *ring)
{
    int arrived;
    if (ring->step >= size)
        return;
    MPI_Test(&ring->message, &arrived, MPI_STATUS_IGNORE);
    if (!arrived)
        return;
    ring->sum += ring->in;
    ring->out = ring->in;
    if (++ring->step < size)
        post(ring);
    else
        MPI_Grequest_complete(ring->self);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct ring ring = {.out = rank + 1, .left = (rank + size - 1) % size, .right = (rank + 1) % size};
    MPI_Request request;
    MPI_Status status;
    int done = 0, count;
    MPI_Grequest_start(query, release, cancel, &ring, &request);
    ring.self = request;
    post(&ring);
    while (!done) {
        move(&ring);
        MPI_Test(&request, &done, &status);
    }
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(request == MPI_REQUEST_NULL);
    say("rank %d: sum %d after %d steps\n", rank, ring.sum, count);
    return finish();
}
