/* Two ranks send large messages to each other first: fine while messages are eager, a deadlock at rendezvous size.
 * ranks: 2
 * expect: exit 80; deadlock; MPI_Send on ranks 0 and 1, tag 2; cycle 0 -> 1 -> 0 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, bytes = 8 << 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = calloc(bytes, 1), *in = malloc(bytes);
    MPI_Send(out, bytes, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
