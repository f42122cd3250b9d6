/* Partitioned messages, persistent ones, collectives and generalised requests in one wait; large data. */
#include "check.h"

#define PARTS 4
#define N 40000

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 1);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
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
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, small = rank, other = -1, sum = 0;
    double *out = malloc(PARTS * N * sizeof *out), *in = malloc(PARTS * N * sizeof *in);
    MPI_Request requests[6];
    MPI_Psend_init(out, PARTS, N, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTS / 2, 2 * N, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Send_init(&small, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(&other, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[3]);
    for (int round = 0; round < 3; round++) {
        small = 10 * rank + round;
        for (int i = 0; i < PARTS * N; i++)
            out[i] = rank + i + round;
        MPI_Startall(4, requests);
        MPI_Iallreduce(&small, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]);
        MPI_Grequest_start(query, release, cancel, NULL, &requests[5]);
        for (int p = 0; p < PARTS; p++)
            MPI_Pready(p, requests[0]);
        MPI_Grequest_complete(requests[5]);
        if (round == 1) {
            int done = 0, many, indices[6];
            while (done < 6) {
                MPI_Waitsome(6, requests, &many, indices, MPI_STATUSES_IGNORE);
                done += many;
            }
        } else
            MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < PARTS * N; i++)
            CHECK(in[i] == left + i + round);
        CHECK(requests[4] == MPI_REQUEST_NULL && requests[5] == MPI_REQUEST_NULL);
        say("rank %d: %d %d %g\n", rank, other, sum, in[PARTS * N - 1]);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    free(out), free(in);
    return finish();
}
