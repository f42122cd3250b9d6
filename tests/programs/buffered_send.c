/* Bsend completes locally: many messages are in the buffer before anyone receives; detach waits for them. */
#include "check.h"

enum { MESSAGES = 10, INTS = 25 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int one, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Pack_size(INTS, MPI_INT, MPI_COMM_WORLD, &one);
    CHECK(one >= INTS * (int)sizeof(int));
    int room = MESSAGES * (one + MPI_BSEND_OVERHEAD) + 512;      /* MPICH needs more than the standard says */
    char *space = malloc(room);

    for (int round = 0; round < 3; round++) {        /* attach, fill, drain, detach; and again with the same memory */
        MPI_Buffer_attach(space, room);
        for (int m = 0; m < MESSAGES; m++) {
            int out[INTS];
            for (int i = 0; i < INTS; i++) out[i] = rank * 1000 + m * 50 + i + round;
            MPI_Bsend(out, INTS, MPI_INT, next, m, MPI_COMM_WORLD);
            memset(out, 0, sizeof out);              /* ours again at once */
        }
        long sum = 0;
        for (int m = MESSAGES - 1; m >= 0; m--) {    /* tags in reverse order */
            int in[INTS];
            MPI_Recv(in, INTS, MPI_INT, previous, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < INTS; i++) {
                CHECK(in[i] == previous * 1000 + m * 50 + i + round);
                sum += in[i];
            }
        }
        void *back = NULL;
        int bytes = 0;
        MPI_Buffer_detach(&back, &bytes);
        CHECK(back == space && bytes == room);
        say("%d round %d sum %ld\n", rank, round, sum);
    }
    free(space);
    return finish();
}
