/* Shared windows with parts of different sizes, some of none; ranks talk by loads and stores alone. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int me, members, *flavor, found, unit;
    MPI_Comm_rank(host, &me);
    MPI_Comm_size(host, &members);
    long *mine, *first;
    MPI_Aint bytes, own = me == 0 ? 0 : (me + 1) * (MPI_Aint)sizeof(long);
    MPI_Win win;
    MPI_Win_allocate_shared(own, sizeof(long), MPI_INFO_NULL, host, &mine, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
    CHECK(found && *flavor == MPI_WIN_FLAVOR_SHARED);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < own / (MPI_Aint)sizeof(long); i++)
        mine[i] = 10 * me + i;
    MPI_Win_sync(win);
    MPI_Barrier(host);
    MPI_Win_sync(win);
    for (int other = 1; other < members; other++) {
        long *theirs;
        MPI_Win_shared_query(win, other, &bytes, &unit, &theirs);
        CHECK(bytes == (other + 1) * (MPI_Aint)sizeof(long) && unit == sizeof(long));
        for (int i = 0; i <= other; i++)
            CHECK(theirs[i] == 10 * other + i);
    }
    if (members > 1) {
        MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
        CHECK(bytes == 2 * (MPI_Aint)sizeof(long) && first[1] == 11);
    }
    MPI_Barrier(host);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);

    /* Parts that need not lie one after the other; accesses and loads mixed. */
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(3 * sizeof(long), sizeof(long), info, host, &mine, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    mine[0] = mine[1] = mine[2] = 0;
    MPI_Win_fence(0, win);
    long one = 1, *last;
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_shared_query(win, members - 1, &bytes, &unit, &last);
    if (me == 0)
        last[1] = 77;
    MPI_Win_fence(0, win);
    long got = 0;
    MPI_Get(&got, 1, MPI_LONG, members - 1, 1, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK(got == 77);
    CHECK(me > 0 || mine[0] == members);
    MPI_Win_free(&win);
    MPI_Comm_free(&host);
    say("rank %d shares memory with %d ranks\n", rank, members);
    return finish();
}
