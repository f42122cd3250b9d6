/* Sender and receiver split the same data differently. */
#include "check.h"

#define TOTAL 240

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const int splits[] = {1, 2, 3, 5, 8, 24, 240};
    const int cases = sizeof splits / sizeof *splits;
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out[TOTAL], in[TOTAL];
    for (int a = 0; a < cases; a++)
        for (int b = 0; b < cases; b++) {
            int sent = splits[a], got = splits[b];
            MPI_Request requests[2];
            MPI_Psend_init(out, sent, TOTAL / sent, MPI_INT, right, a, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
            MPI_Precv_init(in, got, TOTAL / got, MPI_INT, left, a, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
            for (int round = 0; round < 2; round++) {
                MPI_Startall(2, requests);
                for (int i = 0; i < TOTAL; i++)
                    out[i] = 100000 * rank + 1000 * a + i + round, in[i] = -1;
                MPI_Pready_range(0, sent - 1, requests[0]);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                for (int i = 0; i < TOTAL; i++)
                    CHECK(in[i] == 100000 * left + 1000 * a + i + round);
            }
            MPI_Request_free(&requests[0]);
            MPI_Request_free(&requests[1]);
        }
    say("rank %d: %d splits\n", rank, cases * cases);
    return finish();
}
