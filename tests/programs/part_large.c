/* Partitions above every eager limit, in a ring: each rank waits for its send before its receive, from the first round on. */
#include "check.h"

enum { PARTS = 3, WORDS = 40000, ROUNDS = 3 };

static double out[PARTS * WORDS], in[PARTS * WORDS];

int main(int argc, char **argv)
{
    MPI_Request requests[2], plain[2];
    MPI_Init(&argc, &argv);
    learn_rank();
    int right = (rank + 1) % size, left = (rank + size - 1) % size, token = rank, other = -1;
    MPI_Psend_init(out, PARTS, WORDS, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTS, WORDS, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(2, requests);
        for (int i = 0; i < PARTS * WORDS; i++)
            out[i] = 1000.0 * rank + round + i;
        MPI_Pready_range(0, PARTS - 1, requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        /* Ordinary messages in between. */
        MPI_Irecv(&other, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &plain[0]);
        MPI_Isend(&token, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &plain[1]);
        MPI_Waitall(2, plain, MPI_STATUSES_IGNORE);
        CHECK(other == left);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        for (int i = 0; i < PARTS * WORDS; i++)
            CHECK(in[i] == 1000.0 * left + round + i);
    }
    say("rank %d: %g\n", rank, in[PARTS * WORDS - 1]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    return finish();
}
