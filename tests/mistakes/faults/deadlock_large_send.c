/* Two ranks send large messages to each other first: fine while messages are eager, a deadlock at rendezvous size.
 *
 * ranks: 2
 * exit: 80
 * stderr: rank 0 in MPI_Send at {send} in main waits for rank 1 to receive \(tag 2, MPI_COMM_WORLD\)
 * stderr: rank 1 in MPI_Send at {send} in main waits for rank 0 to receive \(tag 2, MPI_COMM_WORLD\)
 * stderr: cycle: rank 0 -> rank 1 -> rank 0
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, bytes = 8 << 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = calloc(bytes, 1), *in = malloc(bytes);
    MPI_Send(out, bytes, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD); /* send */
    MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
