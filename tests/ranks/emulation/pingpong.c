/* pingpong.c: two ranks pass a message back and forth. pingpong ROUNDS BYTES MICROSECONDS computes so long before each send.
 * The first synthetic program of Penoff et al., MPI-NeTSim (2009), section VI-B. */
#include "compute.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100, bytes = argc > 2 ? atoi(argv[2]) : 32, rank;
    double seconds = argc > 3 ? 1e-6 * atof(argv[3]) : 0.0;
    char *buffer = calloc(bytes + 1, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double start = MPI_Wtime();
    for (int turn = 0; turn < 2 * rounds; turn++) {
        if (turn % 2 == rank) {
            compute(seconds);
            MPI_Send(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0)
        printf("%d rounds in %.9f s\n", rounds, MPI_Wtime() - start);
    free(buffer);
    MPI_Finalize();
    return 0;
}
