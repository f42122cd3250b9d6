/* Partitions that are looked for one by one. */
#include "check.h"

#define PARTS 8
#define N 1000

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, flag, seen = 0, here[PARTS] = {0};
    int *out = malloc(PARTS * N * sizeof(int)), *in = malloc(PARTS * N * sizeof(int));
    MPI_Request requests[2];
    MPI_Psend_init(out, PARTS, N, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTS, N, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        for (int i = 0; i < PARTS * N; i++)
            out[i] = 7 * rank + i + round, in[i] = -1;
        for (int p = 0; p < PARTS; p++)
            MPI_Pready((p + 3) % PARTS, requests[0]), here[p] = 0;
        for (seen = 0; seen < PARTS;)
            for (int p = 0; p < PARTS; p++)
                if (!here[p]) {
                    MPI_Parrived(requests[1], p, &flag);
                    if (flag) {
                        here[p] = 1, seen++;
                        for (int i = p * N; i < (p + 1) * N; i++)
                            CHECK(in[i] == 7 * left + i + round);
                    }
                }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        say("rank %d: round %d, %d partitions\n", rank, round, seen);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    free(out), free(in);
    return finish();
}
