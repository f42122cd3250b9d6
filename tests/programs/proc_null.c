/* PROC_NULL: sends go nowhere, receives come from nowhere and leave the buffer alone. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int v = 17, count = -1, flag = 0;
    MPI_Status s;
    MPI_Request q[2];
    MPI_Send(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(v == 17 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && count == 0);
    MPI_Isend(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    CHECK(q[0] == MPI_REQUEST_NULL && q[1] == MPI_REQUEST_NULL);
    MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &s);
    CHECK(flag && s.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Sendrecv_replace(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
    CHECK(v == 17);
    MPI_Recv_init(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Start(&q[0]);
    MPI_Wait(&q[0], &s);
    CHECK(v == 17);                                  /* MPICH 4.0 does not fill in this status */
    MPI_Request_free(&q[0]);
    say("%d value still %d\n", rank, v);
    return finish();
}
