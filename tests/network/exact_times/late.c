/* Rank 0 sends BYTES at once, rank 1 receives one second later; both say when they are done. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 1024, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(bytes + 1, 1);
    if (rank == 0) {
        MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        usleep(1000000);
        MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("SIM late rank=%d bytes=%d seconds=%.12f\n", rank, bytes, MPI_Wtime());
    free(data);
    MPI_Finalize();
    return 0;
}
