/* Rank 0 sends N messages of BYTES to rank 1, which receives them one after the other: many small messages under way on one route. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, n = argc > 1 ? atoi(argv[1]) : 4000, bytes = argc > 2 ? atoi(argv[2]) : 8;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(1, bytes);
    double start = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            MPI_Send(data, bytes, MPI_CHAR, 1, i & 7, MPI_COMM_WORLD);
        else
            MPI_Recv(data, bytes, MPI_CHAR, 0, i & 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        printf("SIM seconds=%.12f\n", MPI_Wtime() - start);
    free(data);
    MPI_Finalize();
    return 0;
}
