/* lock_all and locks of several targets, with every kind of flush. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long *memory, buffer[8];
    MPI_Win win;
    MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, win);
    for (int i = 0; i < 64; i++)
        memory[i] = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);

    /* After flush_local the origin's buffer may change. */
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 8; i++)
            buffer[i] = 1 + rank;
        for (int target = 0; target < size; target++)
            MPI_Accumulate(buffer, 8, MPI_LONG, target, 8 * round, 8, MPI_LONG, MPI_SUM, win);
        if (round % 2)
            MPI_Win_flush_local_all(win);
        else
            for (int target = 0; target < size; target++)
                MPI_Win_flush_local(target, win);
        for (int i = 0; i < 8; i++)
            buffer[i] = -1000;
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int i = 0; i < 64; i++)
        CHECK(memory[i] == (long)size * (size + 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);

    /* Locks of several targets at once, given up in another order. */
    for (int target = 0; target < size; target++)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    long value = 7 * rank;
    for (int target = 0; target < size; target++)
        MPI_Put(&value, 1, MPI_LONG, target, rank, 1, MPI_LONG, win);
    MPI_Win_flush_all(win);
    for (int target = size - 1; target >= 0; target--)
        MPI_Win_unlock(target, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    say("rank %d:", rank);
    for (int i = 0; i < size; i++)
        say(" %ld", memory[i]);
    say("\n");
    MPI_Win_unlock(rank, win);

    /* A put is seen by a get after a flush, whatever else is under way. */
    int target = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (long i = 0; i < 20; i++) {
        long sent = 100 * rank + i, got = -1;
        MPI_Put(&sent, 1, MPI_LONG, target, 30, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
        MPI_Get(&got, 1, MPI_LONG, target, 30, 1, MPI_LONG, win);
        MPI_Win_flush_local(target, win);
        CHECK(got == sent);
    }
    MPI_Win_unlock(target, win);

    /* Nobody is locked. */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
    MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win);
    MPI_Win_flush(MPI_PROC_NULL, win);
    MPI_Win_unlock(MPI_PROC_NULL, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return finish();
}
