/* A large message from memory that is not there. Where ranks copy to mailboxes themselves, this kills the rank instead.
 *
 * ranks: 2
 * options: --data-plane direct
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Send at {here} in main: the buffer of 8388608 bytes at 0x1000 .* is not accessible
 */
#include <mpi.h>
#include <stdint.h>

static char room[8 << 20];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *nowhere = (void *)(intptr_t)4096;
    if (rank == 0) MPI_Send(nowhere, sizeof room, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* here */
    else MPI_Recv(room, sizeof room, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
