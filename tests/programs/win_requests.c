/* Accesses with requests, completed by every kind of wait. */
#include "check.h"

#define N 1000

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, index, done, many, indices[4];
    double *memory, data[4][N], got[4][N];
    MPI_Request requests[4];
    MPI_Status status, statuses[4];
    MPI_Win win;
    MPI_Win_allocate(4 * N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < 4 * N; i++)
        memory[i] = 0, data[i / N][i % N] = 10000 * rank + i, got[i / N][i % N] = -1;
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 4; i++)
        MPI_Rput(data[i], N, MPI_DOUBLE, right, i * N, N, MPI_DOUBLE, win, &requests[i]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++) {
        CHECK(requests[i] == MPI_REQUEST_NULL);
        for (int j = 0; j < N; j++)
            data[i][j] = 1;
    }
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4 * N; i++)
        CHECK(memory[i] == 10000 * left + i);

    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < 4; i++)
        MPI_Rget(got[i], N, MPI_DOUBLE, right, i * N, N, MPI_DOUBLE, win, &requests[i]);
    for (int i = 0; i < 4; i++) {
        MPI_Waitany(4, requests, &index, &status);
        for (int j = 0; j < N; j++)
            CHECK(got[index][j] == 10000 * rank + index * N + j);
    }
    MPI_Waitany(4, requests, &index, &status);
    say("rank %d: index %d\n", rank, index == MPI_UNDEFINED);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 4; i++)
        MPI_Raccumulate(data[i], N, MPI_DOUBLE, right, i * N, N, MPI_DOUBLE, MPI_SUM, win, &requests[i]);
    for (int complete = 0; complete < 4; complete += many) {
        MPI_Waitsome(4, requests, &many, indices, statuses);
        CHECK(many > 0);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4 * N; i++)
        CHECK(memory[i] == 10000 * left + i + 1);
    /* The left neighbour adds to this memory next. */
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Rget_accumulate(data[0], N, MPI_DOUBLE, got[0], N, MPI_DOUBLE, right, 0, N, MPI_DOUBLE, MPI_SUM, win, &requests[0]);
    for (done = 0; !done;)
        MPI_Test(&requests[0], &done, &status);
    MPI_Rget_accumulate(NULL, 0, MPI_DOUBLE, got[1], 2, MPI_DOUBLE, right, 5, 2, MPI_DOUBLE, MPI_NO_OP, win, &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Win_unlock(right, win);
    say("rank %d: %.0f %.0f, then %.0f %.0f\n", rank, got[0][0], got[0][N - 1], got[1][0], got[1][1]);

    /* A target that is nobody: complete at once. */
    MPI_Win_lock_all(0, win);
    MPI_Rput(data[0], N, MPI_DOUBLE, MPI_PROC_NULL, 0, N, MPI_DOUBLE, win, &requests[0]);
    MPI_Rget(got[0], N, MPI_DOUBLE, MPI_PROC_NULL, 0, N, MPI_DOUBLE, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return finish();
}
