/* Memory that the ranks of one host share. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int me, members, *mine;
    MPI_Comm_rank(host, &me);
    MPI_Comm_size(host, &members);
    MPI_Win win;
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, host, &mine, &win);
    MPI_Win_fence(0, win);
    mine[0] = 100 + me, mine[1] = 200 + me;
    MPI_Win_fence(0, win);
    for (int other = 0; other < members; other++) {
        MPI_Aint bytes;
        int unit, *theirs;
        MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
        CHECK(bytes == 2 * sizeof(int) && unit == sizeof(int));
        CHECK(theirs[0] == 100 + other && theirs[1] == 200 + other);
        CHECK(theirs + 2 * (me - other) == mine);
    }
    MPI_Win_fence(0, win);
    int value = 300 + me;
    MPI_Put(&value, 1, MPI_INT, (me + 1) % members, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(mine[1] == 300 + (me + members - 1) % members);
    MPI_Win_free(&win);
    MPI_Comm_free(&host);
    say("rank %d shares memory with %d ranks\n", rank, members);
    return finish();
}
