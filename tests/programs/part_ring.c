/* Partitioned messages around a ring, started again and again, with partitions made ready in different orders. */
#include "check.h"

#define PARTS 6
#define N 50

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, list[3] = {5, 0, 3};
    double out[PARTS][N], in[PARTS][N];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Psend_init(out, PARTS, N, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTS, N, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 5; round++) {
        memset(in, 0, sizeof in);
        if (round % 2)
            MPI_Startall(2, requests);
        else
            MPI_Start(&requests[1]), MPI_Start(&requests[0]);
        for (int p = 0; p < PARTS; p++)
            for (int i = 0; i < N; i++)
                out[p][i] = 1000 * rank + 100 * round + 10 * p + i;
        if (round % 3 == 0)
            for (int p = PARTS - 1; p >= 0; p--)
                MPI_Pready(p, requests[0]);
        else if (round % 3 == 1)
            MPI_Pready_range(0, PARTS - 1, requests[0]);
        else {
            MPI_Pready_list(3, list, requests[0]);
            MPI_Pready_range(1, 2, requests[0]);
            MPI_Pready(4, requests[0]);
        }
        if (round % 2) {
            MPI_Wait(&requests[1], &status);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else {
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1], &status);
        }
        for (int p = 0; p < PARTS; p++)
            for (int i = 0; i < N; i++)
                CHECK(in[p][i] == 1000 * left + 100 * round + 10 * p + i);
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        say("rank %d: round %d, %g\n", rank, round, in[PARTS - 1][N - 1]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    return finish();
}
