/* A rank may send to itself, on COMM_WORLD and on COMM_SELF. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int in[3] = {0}, out[3] = {rank, rank * 2, rank * 3};
    MPI_Request q[2];
    MPI_Status s;
    MPI_Isend(out, 3, MPI_INT, rank, 4, MPI_COMM_WORLD, &q[0]);
    MPI_Recv(in, 3, MPI_INT, rank, 4, MPI_COMM_WORLD, &s);
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    CHECK(in[2] == rank * 3 && s.MPI_SOURCE == rank);
    say("%d to itself: %d %d %d\n", rank, in[0], in[1], in[2]);

    int self_rank = -1, self_size = -1, sum = -1;
    MPI_Comm_rank(MPI_COMM_SELF, &self_rank);
    MPI_Comm_size(MPI_COMM_SELF, &self_size);
    CHECK(self_rank == 0 && self_size == 1);
    MPI_Irecv(in, 3, MPI_INT, 0, 4, MPI_COMM_SELF, &q[0]);
    MPI_Issend(out, 2, MPI_INT, 0, 4, MPI_COMM_SELF, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    CHECK(sum == rank);
    MPI_Sendrecv_replace(&sum, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, &s);
    CHECK(sum == rank && s.MPI_SOURCE == 0);
    return finish();
}
