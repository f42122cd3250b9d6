/* Clauss et al., Single node on-line simulation of MPI applications with SMPI (2011),
 * section 7.1.1: ping-pong between rank 0 and the last rank.
 * arguments: BYTES (1048576) ROUNDS (1). Prints `rank seconds` for both; seconds is the mean one-way time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20, rounds = argc > 2 ? atoi(argv[2]) : 1;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "pingpong needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int last = size - 1;
    char *ball = calloc(bytes + 1, 1);

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(ball, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD);
            MPI_Recv(ball, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == last) {
            MPI_Recv(ball, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(ball, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    double seconds = (MPI_Wtime() - begin) / (2.0 * rounds);

    double all[size];
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.9f\n%d %.9f\n", 0, all[0], last, all[last]);
    free(ball);
    MPI_Finalize();
    return 0;
}
