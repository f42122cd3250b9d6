/* A Waitall over a receive with the wrong tag: the peer has sent, but not this.
 *
 * ranks: 2
 * exit: 80
 * stderr: deadlock: 1 rank is blocked
 * stderr: rank 0 in MPI_Waitall at {waitall} in main waits for a message from rank 1 \(tag 6, MPI_COMM_WORLD\)$
 * stderr: no cycle: rank 1 has called MPI_Finalize already
 * stderr: a message of 4 bytes from rank 1 to rank 0 \(tag 5, MPI_COMM_WORLD\), sent by MPI_Send at {sent} in main, was never received
 */
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
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE); /* waitall */
    } else {
        MPI_Send(v, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        MPI_Send(v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /* sent */
    }
    MPI_Finalize();
    return 0;
}
