/* latency.c: how long a message takes, by its size */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 4 << 20, ROUNDS = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *ball = calloc(LARGEST, 1);
    for (int bytes = 1; bytes <= LARGEST; bytes *= 4) {
        double began = MPI_Wtime();
        for (int round = 0; round < ROUNDS; round++) {
            if (rank == 0) {
                MPI_Send(ball, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(ball, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(ball, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(ball, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
        }
        double each = (MPI_Wtime() - began) / (2 * ROUNDS);
        if (rank == 0)
            printf("%8d bytes  %9.2f us  %8.1f MB/s\n", bytes, each * 1e6, bytes / each / 1e6);
    }
    free(ball);
    MPI_Finalize();
    return 0;
}
