/* Ping-pong between the first and the last rank over a range of sizes; the ball's contents are checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20, ROUNDS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int last = size - 1;
    unsigned char *ball = calloc(LARGEST, 1);

    if (size == 1) printf("nobody to play with\n");
    for (int bytes = 1; size > 1 && bytes <= LARGEST; bytes *= 32) {
        for (int round = 0; round < ROUNDS; round++) {
            if (rank == 0) {
                MPI_Send(ball, bytes, MPI_BYTE, last, round, MPI_COMM_WORLD);
                MPI_Recv(ball, bytes, MPI_BYTE, last, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == last) {
                MPI_Recv(ball, bytes, MPI_BYTE, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; i < bytes; i++) ball[i]++;
                MPI_Send(ball, bytes, MPI_BYTE, 0, round, MPI_COMM_WORLD);
            }
        }
        if (rank == 0) {
            long sum = 0;
            for (int i = 0; i < bytes; i++) sum += ball[i];
            right &= sum == (long)ROUNDS * bytes;
            printf("%7d bytes, %d rounds, sum %ld\n", bytes, ROUNDS, sum);
            for (int i = 0; i < bytes; i++) ball[i] = 0;
        }
    }
    free(ball);
    MPI_Finalize();
    return right ? 0 : 1;
}
