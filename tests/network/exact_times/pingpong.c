/* Two ranks play ping-pong: MESSAGES in total (100000) of BYTES (1024). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int messages = argc > 1 ? atoi(argv[1]) : 100000, bytes = argc > 2 ? atoi(argv[2]) : 1024, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *ball = calloc(bytes + 1, 1);
    double begin = MPI_Wtime();
    for (int i = 0; i < messages; i++) {
        if (i % 2 == rank) MPI_Send(ball, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        else MPI_Recv(ball, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double end = MPI_Wtime();
    if (rank == 0) printf("SIM pingpong messages=%d bytes=%d seconds=%.12f\n", messages, bytes, end - begin);
    free(ball);
    MPI_Finalize();
    return 0;
}
