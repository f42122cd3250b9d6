/* All eight send modes, each once around the ring. */
#include "check.h"

enum { MODES = 8 };
static const char *name[MODES] = {"Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend"};

static void send(int mode, const int *v, int to, MPI_Request *q)
{
    *q = MPI_REQUEST_NULL;
    switch (mode) {
    case 0: MPI_Send(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD); break;
    case 1: MPI_Bsend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD); break;
    case 2: MPI_Ssend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD); break;
    case 3: MPI_Rsend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD); break;
    case 4: MPI_Isend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD, q); break;
    case 5: MPI_Ibsend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD, q); break;
    case 6: MPI_Issend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD, q); break;
    case 7: MPI_Irsend(v, 3, MPI_INT, to, mode, MPI_COMM_WORLD, q); break;
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    char space[4096 + 2 * MPI_BSEND_OVERHEAD];
    MPI_Buffer_attach(space, sizeof space);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int mode = 0; mode < MODES; mode++) {
        int out[3] = {rank, mode, rank * mode}, in[3] = {-1, -1, -1};
        MPI_Request receive, sent;
        MPI_Irecv(in, 3, MPI_INT, previous, mode, MPI_COMM_WORLD, &receive);
        MPI_Barrier(MPI_COMM_WORLD);                 /* ready sends need the receive to be there */
        send(mode, out, next, &sent);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        CHECK(in[0] == previous && in[1] == mode && in[2] == previous * mode);
        say("%d %s: %d %d %d\n", rank, name[mode], in[0], in[1], in[2]);
    }
    void *back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
    CHECK(back == space && bytes == (int)sizeof space);
    return finish();
}
