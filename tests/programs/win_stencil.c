/* A heat equation whose halos are put by fences, and got between groups: both give the same field. */
#include "check.h"

#define N 32
#define STEPS 20

static double field[2][N + 2];

static void step(const double *old, double *new)
{
    for (int i = 1; i <= N; i++)
        new[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
}

static double checksum(const double *cells)
{
    double sum = 0, all;
    for (int i = 1; i <= N; i++)
        sum += cells[i] * (rank * N + i);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

static void reset(void)
{
    for (int i = 0; i < N + 2; i++)
        field[0][i] = field[1][i] = 0;
    for (int i = 1; i <= N; i++)
        field[0][i] = (rank * N + i) % 7;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Win win;
    MPI_Win_create(field, sizeof field, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    reset();
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int t = 0; t < STEPS; t++) {
        int now = t % 2, base = now * (N + 2);
        MPI_Put(&field[now][1], 1, MPI_DOUBLE, left, base + N + 1, 1, MPI_DOUBLE, win);
        MPI_Put(&field[now][N], 1, MPI_DOUBLE, right, base, 1, MPI_DOUBLE, win);
        MPI_Win_fence(t == STEPS - 1 ? MPI_MODE_NOSUCCEED : 0, win);
        step(field[now], field[1 - now]);
    }
    double put = checksum(field[STEPS % 2]);

    MPI_Group world, sides;
    int others[2], n = 0;
    if (left != MPI_PROC_NULL)
        others[n++] = left;
    if (right != MPI_PROC_NULL)
        others[n++] = right;
    MPI_Win_get_group(win, &world);
    MPI_Group_incl(world, n, others, &sides);
    MPI_Barrier(MPI_COMM_WORLD);
    reset();
    for (int t = 0; t < STEPS; t++) {
        int now = t % 2, base = now * (N + 2);
        MPI_Win_post(sides, MPI_MODE_NOPUT, win);
        MPI_Win_start(sides, 0, win);
        MPI_Get(&field[now][0], 1, MPI_DOUBLE, left, base + N, 1, MPI_DOUBLE, win);
        MPI_Get(&field[now][N + 1], 1, MPI_DOUBLE, right, base + 1, 1, MPI_DOUBLE, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        step(field[now], field[1 - now]);
    }
    double got = checksum(field[STEPS % 2]);
    if (rank == 0) {
        CHECK(put == got);
        say("checksum %.10f\n", put);
    }
    MPI_Group_free(&sides);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    return finish();
}
