/* Partitioned messages match in the order of their initialization, by tag and communicator, and never with others. */
#include "check.h"

#define N 100

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out[4][N], in[4][N], plain[N], flag;
    MPI_Request sends[4], receives[4], message;
    MPI_Status status;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    /* Two with one tag, one with another tag, one in another communicator; received in another order of tags. */
    MPI_Psend_init(out[0], 2, N / 2, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[0]);
    MPI_Psend_init(out[1], 4, N / 4, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[1]);
    MPI_Psend_init(out[2], 1, N, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[2]);
    MPI_Psend_init(out[3], 5, N / 5, MPI_INT, right, 1, other, MPI_INFO_NULL, &sends[3]);
    MPI_Precv_init(in[3], 5, N / 5, MPI_INT, left, 1, other, MPI_INFO_NULL, &receives[3]);
    MPI_Precv_init(in[2], 1, N, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[2]);
    MPI_Precv_init(in[0], 2, N / 2, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[0]);
    MPI_Precv_init(in[1], 4, N / 4, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[1]);
    for (int round = 0; round < 3; round++) {
        for (int m = 0; m < 4; m++)
            for (int i = 0; i < N; i++)
                out[m][i] = 1000 * rank + 100 * m + i + round, in[m][i] = -1;
        /* A wildcard receive must not get a partition. */
        MPI_Irecv(plain, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message);
        MPI_Startall(4, receives);
        MPI_Startall(4, sends);
        for (int m = 3; m >= 0; m--)
            MPI_Pready_range(0, (int[]){1, 3, 0, 4}[m], sends[m]);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
        for (int left_over = 4; left_over > 0; left_over--) {
            int index;
            MPI_Waitany(4, receives, &index, &status);
            CHECK(index >= 0 && index < 4);
        }
        MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
        MPI_Send(out[0], 3, MPI_INT, right, 99, MPI_COMM_WORLD);
        MPI_Wait(&message, &status);
        CHECK(status.MPI_TAG == 99);
        for (int m = 0; m < 4; m++)
            for (int i = 0; i < N; i++)
                CHECK(in[m][i] == 1000 * left + 100 * m + i + round);
        say("rank %d: round %d: %d %d %d %d\n", rank, round, in[0][0], in[1][0], in[2][0], in[3][0]);
    }
    for (int m = 0; m < 4; m++)
        MPI_Request_free(&sends[m]), MPI_Request_free(&receives[m]);
    MPI_Comm_free(&other);
    return finish();
}
