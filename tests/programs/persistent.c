/* Persistent requests of every mode, started one by one and all together, many times over. */
#include "check.h"

enum { ROUNDS = 6, KINDS = 4 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int out[KINDS][2], in[KINDS][2];
    MPI_Request receive[KINDS], send[KINDS];
    char space[8192];
    MPI_Buffer_attach(space, sizeof space);

    for (int k = 0; k < KINDS; k++) MPI_Recv_init(in[k], 2, MPI_INT, previous, k, MPI_COMM_WORLD, &receive[k]);
    MPI_Send_init(out[0], 2, MPI_INT, next, 0, MPI_COMM_WORLD, &send[0]);
    MPI_Bsend_init(out[1], 2, MPI_INT, next, 1, MPI_COMM_WORLD, &send[1]);
    MPI_Ssend_init(out[2], 2, MPI_INT, next, 2, MPI_COMM_WORLD, &send[2]);
    MPI_Rsend_init(out[3], 2, MPI_INT, next, 3, MPI_COMM_WORLD, &send[3]);

    /* Inactive requests complete at once, with an empty status. */
    MPI_Status s;
    int flag = 0;
    MPI_Wait(&receive[0], &s);
    MPI_Test(&send[0], &flag, &s);
    CHECK(flag && s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG);

    for (int round = 0; round < ROUNDS; round++) {
        memset(in, 0xff, sizeof in);
        MPI_Startall(KINDS, receive);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int k = 0; k < KINDS; k++) out[k][0] = rank * 10 + k, out[k][1] = round;
        if (round % 2) MPI_Startall(KINDS, send);
        else for (int k = 0; k < KINDS; k++) MPI_Start(&send[k]);
        MPI_Waitall(KINDS, send, MPI_STATUSES_IGNORE);
        MPI_Waitall(KINDS, receive, MPI_STATUSES_IGNORE);
        for (int k = 0; k < KINDS; k++) CHECK(in[k][0] == previous * 10 + k && in[k][1] == round);
        for (int k = 0; k < KINDS; k++) CHECK(send[k] != MPI_REQUEST_NULL && receive[k] != MPI_REQUEST_NULL);
    }
    for (int k = 0; k < KINDS; k++) {
        say("%d kind %d: %d %d\n", rank, k, in[k][0], in[k][1]);
        MPI_Request_free(&send[k]);
        MPI_Request_free(&receive[k]);
        CHECK(send[k] == MPI_REQUEST_NULL && receive[k] == MPI_REQUEST_NULL);
    }
    void *back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
    return finish();
}
