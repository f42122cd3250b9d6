/* Several windows at once: on parts of the ranks, with sizes and units that differ, of no bytes, all in use together. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int me, members;
    MPI_Comm_rank(half, &me);
    MPI_Comm_size(half, &members);
    int small[4] = {rank, rank, rank, rank};
    double *large = calloc(rank + 1, sizeof(double));
    MPI_Win ints, doubles, empty, parts;
    MPI_Win_create(small, sizeof small, sizeof(int), MPI_INFO_NULL, half, &ints);
    MPI_Win_create(large, (rank + 1) * sizeof(double), rank % 2 ? 1 : sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &doubles);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &empty);
    /* Only rank 0 has memory here. */
    long counter[2] = {0, 0};
    MPI_Win_create(rank ? NULL : counter, rank ? 0 : sizeof counter, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &parts);

    MPI_Win_fence(0, ints);
    MPI_Win_fence(0, doubles);
    MPI_Win_fence(0, empty);
    MPI_Win_lock_all(0, parts);
    int value = 100 + rank, next = (me + 1) % members;
    double real = rank + 0.5;
    long one = 1, two = 2;
    MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, ints);
    int target = (rank + 1) % size;
    /* The last element of a rank that has target + 1 of them. */
    MPI_Put(&real, 1, MPI_DOUBLE, target, target % 2 ? target * (MPI_Aint)sizeof(double) : target, 1, MPI_DOUBLE, doubles);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, parts);
    MPI_Accumulate(&two, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, parts);
    MPI_Win_fence(0, empty);
    MPI_Win_fence(0, ints);
    MPI_Win_fence(0, doubles);
    MPI_Win_unlock_all(parts);
    MPI_Barrier(MPI_COMM_WORLD);
    say("rank %d: %d %d, %.1f", rank, small[0], small[1], large[rank]);
    if (rank == 0)
        say(", %ld %ld", counter[0], counter[1]);
    say("\n");

    /* The same memory in two windows, one after the other. */
    MPI_Win again;
    MPI_Win_create(small, sizeof small, 1, MPI_INFO_NULL, MPI_COMM_SELF, &again);
    MPI_Win_fence(0, again);
    MPI_Put(&value, 1, MPI_INT, 0, 3 * sizeof(int), 1, MPI_INT, again);
    MPI_Win_fence(0, again);
    say("rank %d: %d\n", rank, small[3]);
    MPI_Win_free(&again);
    MPI_Win_free(&empty);
    MPI_Win_free(&parts);
    MPI_Win_free(&doubles);
    MPI_Win_free(&ints);
    MPI_Comm_free(&half);
    free(large);
    return finish();
}
