/* Post, start, complete, wait with groups of many: all to one, one to all, rings both ways, nobody. */
#include "check.h"

static MPI_Group world;

static MPI_Group all_but(int other)
{
    MPI_Group group;
    MPI_Group_excl(world, 1, &other, &group);
    return group;
}

static MPI_Group only(int other)
{
    MPI_Group group;
    MPI_Group_incl(world, 1, &other, &group);
    return group;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *memory, values[32];
    MPI_Win win;
    MPI_Win_allocate(32 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_get_group(win, &world);
    for (int i = 0; i < 32; i++)
        memory[i] = -1, values[i] = 100 * rank + i;
    MPI_Group others = all_but(0), first = only(0);

    /* All to rank 0, several times without anything else in between. */
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            MPI_Win_post(others, 0, win);
            MPI_Win_wait(win);
            say("round %d:", round);
            for (int i = 1; i < size; i++)
                say(" %d", memory[i]);
            say("\n");
        } else {
            MPI_Win_start(first, 0, win);
            MPI_Put(&values[round], 1, MPI_INT, 0, rank, 1, MPI_INT, win);
            MPI_Win_complete(win);
        }
    }
    /* Rank 0 to all. */
    if (rank == 0) {
        MPI_Win_start(others, 0, win);
        for (int i = 1; i < size; i++)
            MPI_Put(&values[i], 1, MPI_INT, i, 3, 1, MPI_INT, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(first, 0, win);
        int over = 0;
        while (!over)
            MPI_Win_test(win, &over);
        say("rank %d has %d\n", rank, memory[3]);
    }
    /* A ring in both directions: each rank is target and origin at once. */
    int right = (rank + 1) % size, left = (rank + size - 1) % size, both[2] = {left, right}, got[2] = {0, 0};
    MPI_Group sides;
    MPI_Group_incl(world, left == right ? 1 : 2, both, &sides);
    memory[10] = 10 * rank, memory[11] = 10 * rank + 1;
    MPI_Win_post(sides, 0, win);
    MPI_Win_start(sides, 0, win);
    MPI_Get(&got[0], 1, MPI_INT, left, 11, 1, MPI_INT, win);
    MPI_Get(&got[1], 1, MPI_INT, right, 10, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    say("rank %d got %d %d\n", rank, got[0], got[1]);
    /* Known to be posted. */
    MPI_Win_post(sides, MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(sides, MPI_MODE_NOCHECK, win);
    MPI_Put(&values[20], 1, MPI_INT, right, 20, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    say("rank %d has %d\n", rank, memory[20]);
    /* Nobody. */
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);

    MPI_Group_free(&sides);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    return finish();
}
