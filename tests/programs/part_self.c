/* Partitioned messages to oneself, and of no bytes. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int out[4] = {1, 2, 3, 4}, in[4] = {0};
    MPI_Request requests[2];
    MPI_Precv_init(in, 4, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Psend_init(out, 4, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Startall(2, requests);
    for (int p = 3; p >= 0; p--)
        MPI_Pready(p, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("rank %d: self %d %d %d %d\n", rank, in[0], in[1], in[2], in[3]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Psend_init(out, 3, 0, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 0, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 2, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("rank %d: nothing\n", rank);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    return finish();
}
