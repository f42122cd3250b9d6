/* A Waitall over a receive with the wrong tag: the peer has sent, but not this.
 * ranks: 2
 * expect: exit 80; deadlock; rank 0 in MPI_Waitall, its request is a receive from 1 with tag 6; an unmatched message
 *         with tag 5 from rank 1 is worth naming */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request q[2];
        MPI_Irecv(&v[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &q[0]);
        MPI_Irecv(&v[1], 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(v, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        MPI_Send(v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
