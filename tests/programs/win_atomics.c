/* Fetch-and-op and compare-and-swap on several types: results are those of some order of the ranks. */
#include "check.h"

/* Every rank adds 1 to an element of every rank; the values it fetched are all different. */
#define TICKETS(type, datatype)                                                                               \
    do {                                                                                                      \
        type *memory, one = 1, got = 0;                                                                       \
        MPI_Win win;                                                                                          \
        MPI_Win_allocate(64 * sizeof(type), sizeof(type), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);      \
        memory[0] = memory[1] = 0;                                                                            \
        MPI_Barrier(MPI_COMM_WORLD);                                                                          \
        long sum = 0, all = 0;                                                                                \
        MPI_Win_lock_all(0, win);                                                                             \
        for (int target = 0; target < size; target++) {                                                       \
            MPI_Fetch_and_op(&one, &got, datatype, target, 1, MPI_SUM, win);                                  \
            MPI_Win_flush(target, win);                                                                       \
            CHECK((double)got >= 0 && (double)got < size);                                                                   \
            sum += (long)got;                                                                                 \
        }                                                                                                     \
        MPI_Win_unlock_all(win);                                                                              \
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);                                      \
        say(#datatype ": %ld tickets, %ld left\n", all, (long)memory[1]);                                     \
        CHECK(memory[0] == 0);                                                                                \
        MPI_Win_free(&win);                                                                                   \
    } while (0)

/* Exactly one rank swaps; it finds the old value, all others the winner's. */
#define SWAP(type, datatype)                                                                                  \
    do {                                                                                                      \
        type memory[2] = {7, 7}, mine = (type)(rank + 20), expected = 7, before = 0;                          \
        MPI_Win win;                                                                                          \
        MPI_Win_create(memory, sizeof memory, sizeof(type), MPI_INFO_NULL, MPI_COMM_WORLD, &win);             \
        MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, win);                                                      \
        MPI_Compare_and_swap(&mine, &expected, &before, datatype, size - 1, 1, win);                          \
        MPI_Win_unlock(size - 1, win);                                                                        \
        int won = before == 7, winners = 0, winner = won ? rank + 20 : 0, top = 0;                            \
        MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                                   \
        MPI_Allreduce(&winner, &top, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);                                    \
        CHECK(won || before == (type)top);                                                                    \
        CHECK(rank < size - 1 || memory[1] == (type)top);                                                     \
        CHECK(memory[0] == 7);                                                                                \
        say(#datatype ": %d winner\n", winners);                                                              \
        MPI_Win_free(&win);                                                                                   \
    } while (0)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    TICKETS(int, MPI_INT);
    TICKETS(short, MPI_SHORT);
    TICKETS(unsigned, MPI_UNSIGNED);
    TICKETS(long long, MPI_LONG_LONG);
    TICKETS(float, MPI_FLOAT);
    TICKETS(double, MPI_DOUBLE);
    SWAP(long, MPI_LONG);
    SWAP(int, MPI_INT);
    SWAP(unsigned long, MPI_UNSIGNED_LONG);
    SWAP(unsigned, MPI_UNSIGNED);

    /* Read, replace and the rest of the operators, one rank after the other. */
    long *memory, value, got;
    MPI_Win win;
    MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 100 + rank;
    MPI_Op ops[] = {MPI_NO_OP, MPI_REPLACE, MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND};
    int right = (rank + 1) % size;
    for (int i = 0; i < (int)(sizeof ops / sizeof ops[0]); i++) {
        value = 3 * rank + i;
        MPI_Win_fence(0, win);
        MPI_Fetch_and_op(&value, &got, MPI_LONG, right, 0, ops[i], win);
        MPI_Win_fence(0, win);
        say("op %d: got %ld, has %ld\n", i, got, *memory);
    }
    MPI_Win_free(&win);
    return finish();
}
