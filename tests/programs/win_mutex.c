/* Locks that programs build themselves: a spin lock of compare-and-swap, and the queue lock of Mellor-Crummey and Scott. */
#include "check.h"

#define ROUNDS 5

enum { SPIN, TAIL, BLOCKED, NEXT, COUNT, WORDS };

static MPI_Win win;

static int fetch(int target, int word)
{
    int value = 0, got;
    MPI_Fetch_and_op(&value, &got, MPI_INT, target, word, MPI_NO_OP, win);
    MPI_Win_flush(target, win);
    return got;
}

static int exchange(int target, int word, int value)
{
    int got;
    MPI_Fetch_and_op(&value, &got, MPI_INT, target, word, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
    return got;
}

static int swap(int target, int word, int expected, int value)
{
    int got;
    MPI_Compare_and_swap(&value, &expected, &got, MPI_INT, target, word, win);
    MPI_Win_flush(target, win);
    return got;
}

/* Not atomic: what the lock is for. */
static void count(void)
{
    int value;
    MPI_Get(&value, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
}

static void enter_queue(void)
{
    exchange(rank, NEXT, -1);
    exchange(rank, BLOCKED, 1);
    int before = exchange(0, TAIL, rank);
    if (before >= 0) {
        exchange(before, NEXT, rank);
        while (fetch(rank, BLOCKED))
            ;
    }
}

static void leave_queue(void)
{
    if (fetch(rank, NEXT) < 0) {
        if (swap(0, TAIL, rank, -1) == rank)
            return;
        while (fetch(rank, NEXT) < 0)
            ;
    }
    exchange(fetch(rank, NEXT), BLOCKED, 0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *words;
    MPI_Win_allocate(WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win);
    MPI_Win_lock_all(0, win);
    words[SPIN] = words[COUNT] = words[BLOCKED] = 0;
    words[TAIL] = words[NEXT] = -1;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < ROUNDS; i++) {
        while (swap(0, SPIN, 0, 1))
            ;
        count();
        exchange(0, SPIN, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("spin lock: %d\n", fetch(0, COUNT));
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < ROUNDS; i++) {
        enter_queue();
        count();
        leave_queue();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("queue lock: %d, tail %d\n", fetch(0, COUNT), fetch(0, TAIL));
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return finish();
}
