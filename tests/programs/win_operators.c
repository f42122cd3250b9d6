/* Accumulations with every predefined operator, on types of each class. */
#include "check.h"

#define N 4

/* Combines `mine` of every rank into the window of rank 0, one rank after the other, then prints what is there. */
#define COMBINE(type, datatype, op, format, first, of_rank)                                                   \
    do {                                                                                                      \
        type memory[N], mine[N], before[N];                                                                   \
        MPI_Win win;                                                                                          \
        for (int i = 0; i < N; i++)                                                                           \
            memory[i] = (first), mine[i] = (of_rank), before[i] = 0;                                          \
        MPI_Win_create(memory, sizeof memory, sizeof(type), MPI_INFO_NULL, MPI_COMM_WORLD, &win);             \
        for (int turn = 0; turn < size; turn++) {                                                             \
            MPI_Win_fence(0, win);                                                                            \
            if (turn == rank && rank % 2)                                                                     \
                MPI_Accumulate(mine, N, datatype, 0, 0, N, datatype, op, win);                                \
            else if (turn == rank)                                                                            \
                MPI_Get_accumulate(mine, N, datatype, before, N, datatype, 0, 0, N, datatype, op, win);       \
        }                                                                                                     \
        MPI_Win_fence(0, win);                                                                                \
        say(#type " " #op ":");                                                                               \
        for (int i = 0; i < N; i++)                                                                           \
            say(" " format "/" format, memory[i], before[i]);                                                 \
        say("\n");                                                                                            \
        MPI_Win_free(&win);                                                                                   \
    } while (0)

#define INTEGERS(type, datatype, format)                                                                      \
    do {                                                                                                      \
        COMBINE(type, datatype, MPI_SUM, format, i + 1, rank + i);                                            \
        COMBINE(type, datatype, MPI_PROD, format, i + 1, rank + 2);                                           \
        COMBINE(type, datatype, MPI_MAX, format, i + 1, 2 * rank);                                            \
        COMBINE(type, datatype, MPI_MIN, format, i + 1, rank);                                                \
        COMBINE(type, datatype, MPI_LAND, format, i, rank != 1);                                              \
        COMBINE(type, datatype, MPI_LOR, format, i % 2, i == rank);                                           \
        COMBINE(type, datatype, MPI_LXOR, format, i % 2, rank % 2);                                           \
        COMBINE(type, datatype, MPI_BAND, format, i + 12, 30 >> rank);                                        \
        COMBINE(type, datatype, MPI_BOR, format, i, 4 << (rank % 3));                                         \
        COMBINE(type, datatype, MPI_BXOR, format, i, rank + 5);                                               \
        COMBINE(type, datatype, MPI_REPLACE, format, i, rank + 9);                                            \
    } while (0)

static void pairs(void)
{
    struct { double value; int index; } memory[2], mine[2], before[2];
    MPI_Win win;
    for (int i = 0; i < 2; i++) {
        memory[i].value = 1.5, memory[i].index = 90 + i;
        mine[i].value = i ? rank : -rank, mine[i].index = rank;
    }
    MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine[0], 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, win);
    MPI_Accumulate(&mine[1], 1, MPI_DOUBLE_INT, 0, 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE_INT, before, 2, MPI_DOUBLE_INT, 0, 0, 2, MPI_DOUBLE_INT, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 2; i++)
        say("pair %.1f %d\n", before[i].value, before[i].index);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    INTEGERS(int, MPI_INT, "%d");
    INTEGERS(unsigned char, MPI_UNSIGNED_CHAR, "%d");
    INTEGERS(short, MPI_SHORT, "%d");
    INTEGERS(unsigned long, MPI_UNSIGNED_LONG, "%lu");
    INTEGERS(long long, MPI_LONG_LONG, "%lld");
    COMBINE(double, MPI_DOUBLE, MPI_SUM, "%.2f", i + 0.5, rank + 0.25);
    COMBINE(double, MPI_DOUBLE, MPI_PROD, "%.2f", i + 0.5, rank + 1.5);
    COMBINE(double, MPI_DOUBLE, MPI_MAX, "%.2f", i + 0.5, rank + 0.25);
    COMBINE(float, MPI_FLOAT, MPI_MIN, "%.2f", i + 0.5, rank + 0.25);
    COMBINE(float, MPI_FLOAT, MPI_REPLACE, "%.2f", i + 0.5, rank + 0.25);
    pairs();
    return finish();
}
