/* Passive targets: locks, flushes, atomic operations, accesses with requests. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    long *memory;
    MPI_Win win;
    MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 0; i < 8; i++)
        memory[i] = 10 * rank + i;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);

    /* A counter that every rank reads and increments under a lock. */
    for (int round = 0; round < 3; round++) {
        long value;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("counted %ld\n", memory[0]);

    /* Tickets: each rank gets another one. */
    long one = 1, ticket = -1, tickets = 0, all = 0;
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, size - 1, 1, MPI_SUM, win);
    MPI_Win_flush(size - 1, win);
    tickets = ticket - (10 * (size - 1) + 1);
    CHECK(tickets >= 0 && tickets < size);
    MPI_Win_unlock_all(win);
    MPI_Allreduce(&tickets, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        say("tickets %ld\n", all);

    /* Exactly one rank swaps. */
    long mine = 1000 + rank, expected = 10 * 0 + 2, before = -1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Compare_and_swap(&mine, &expected, &before, MPI_LONG, 0, 2, win);
    MPI_Win_unlock(0, win);
    int swapped = before == expected, swaps = 0;
    MPI_Allreduce(&swapped, &swaps, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        say("swaps %d\n", swaps);

    /* Get_accumulate, plain and as a plain read. */
    int right = (rank + 1) % size;
    long add[2] = {7, 8}, old[2] = {0, 0}, now[2] = {0, 0};
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Get_accumulate(add, 2, MPI_LONG, old, 2, MPI_LONG, right, 4, 2, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush_local(right, win);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, now, 2, MPI_LONG, right, 4, 2, MPI_LONG, MPI_NO_OP, win);
    MPI_Win_unlock(right, win);
    say("rank %d: %ld %ld, then %ld %ld\n", rank, old[0], old[1], now[0], now[1]);

    /* Requests. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request;
    long sent = 5000 + rank, read = 0;
    MPI_Win_lock_all(0, win);
    MPI_Rput(&sent, 1, MPI_LONG, right, 6, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Rget(&read, 1, MPI_LONG, right, 6, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(read == sent);
    MPI_Raccumulate(&one, 1, MPI_LONG, right, 7, 1, MPI_LONG, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    say("rank %d has %ld %ld\n", rank, memory[6], memory[7]);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    return finish();
}
