/* Dynamic load balance: ranks take numbers of tasks from a counter of rank 0, and add their results to a table. */
#include "check.h"

#define TASKS 50

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long *shared, one = 1, task = 0;
    MPI_Win win;
    int words = rank ? 0 : TASKS + 1;
    MPI_Win_allocate(words * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
    for (int i = 0; i < words; i++)
        shared[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = 0, all = 0;
    MPI_Win_lock_all(0, win);
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        if (task >= TASKS)
            break;
        long result = task * task;
        MPI_Accumulate(&result, 1, MPI_LONG, 0, 1 + task, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush_local(0, win);
        mine++;
    }
    MPI_Win_unlock_all(win);
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        long sum = 0;
        for (int i = 0; i < TASKS; i++) {
            CHECK(shared[1 + i] == (long)i * i);
            sum += shared[1 + i];
        }
        say("%ld tasks, sum %ld, counter %ld\n", all, sum, shared[0]);
    }
    MPI_Win_free(&win);
    return finish();
}
