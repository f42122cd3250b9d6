/* Several collectives outstanding at once, mixed with point to point, completed in any order by any kind of wait. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    enum { N = 7 };
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);

    for (int round = 0; round < 4; round++) {
        MPI_Request q[N];
        int sum = -1, high = -1, news = rank == 0 ? round + 5 : -1, from = -1, prefix = -1, all[size];
        MPI_Irecv(&from, 1, MPI_INT, previous, round, MPI_COMM_WORLD, &q[0]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[1]);
        MPI_Ibcast(&news, 1, MPI_INT, 0, MPI_COMM_WORLD, &q[2]);
        MPI_Iallreduce(&rank, &high, 1, MPI_INT, MPI_MAX, other, &q[3]);
        MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, other, &q[4]);
        MPI_Iscan(&rank, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[5]);
        MPI_Ibarrier(MPI_COMM_WORLD, &q[6]);
        MPI_Barrier(other);                          /* a blocking one overtakes them */
        MPI_Send(&rank, 1, MPI_INT, next, round, MPI_COMM_WORLD);
        switch (round) {
        case 0: MPI_Waitall(N, q, MPI_STATUSES_IGNORE); break;
        case 1:
            for (int k = N - 1; k >= 0; k--) MPI_Wait(&q[k], MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int done = 0; done < N;) {
                int i;
                MPI_Waitany(N, q, &i, MPI_STATUS_IGNORE);
                done += i != MPI_UNDEFINED;
            }
            break;
        case 3:
            for (int flag = 0; !flag;) MPI_Testall(N, q, &flag, MPI_STATUSES_IGNORE);
            break;
        }
        for (int k = 0; k < N; k++) CHECK(q[k] == MPI_REQUEST_NULL);
        CHECK(sum == size * (size - 1) / 2 && high == size - 1 && news == round + 5);
        CHECK(from == previous && prefix == rank * (rank + 1) / 2);
        for (int r = 0; r < size; r++) CHECK(all[r] == r);
        say("%d round %d: %d %d %d %d %d\n", rank, round, sum, high, news, from, prefix);
    }

    /* Many of one kind on one communicator complete in order of their calls, whatever the order of the waits. */
    enum { MANY = 20 };
    int values[MANY], sums[MANY];
    MPI_Request many[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i] = rank + i;
        MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, other, &many[i]);
    }
    for (int i = MANY - 1; i >= 0; i--) MPI_Wait(&many[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++) CHECK(sums[i] == size * (size - 1) / 2 + size * i);
    MPI_Comm_free(&other);
    return finish();
}
