/* Windows between fences: put, get and accumulate with plain and derived datatypes. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    int memory[16], right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 16; i++)
        memory[i] = 100 * rank + i;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);

    int given[4] = {rank, rank + 1, rank + 2, rank + 3}, got[4] = {-1, -1, -1, -1};
    MPI_Win_fence(0, win);
    MPI_Put(given, 4, MPI_INT, right, 2, 4, MPI_INT, win);
    MPI_Get(got, 3, MPI_INT, left, 10, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[2] == left && memory[5] == left + 3 && memory[6] == 100 * rank + 6);
    say("rank %d got %d %d %d %d\n", rank, got[0], got[1], got[2], got[3]);

    /* Every second element of the target, from every third of the origin. */
    MPI_Datatype second, third;
    MPI_Type_vector(4, 1, 2, MPI_INT, &second);
    MPI_Type_vector(4, 1, 3, MPI_INT, &third);
    MPI_Type_commit(&second);
    MPI_Type_commit(&third);
    int sparse[12], back[12];
    for (int i = 0; i < 12; i++)
        sparse[i] = 1000 * rank + i, back[i] = -1;
    MPI_Put(sparse, 1, third, right, 8, 1, second, win);
    MPI_Win_fence(0, win);
    MPI_Get(back, 1, third, right, 8, 1, second, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 16; i++)
        say("%d ", memory[i]);
    for (int i = 0; i < 12; i++)
        say("%d ", back[i]);
    say("\n");

    /* All add to rank 0; the order does not matter. */
    if (rank == 0)
        memory[0] = memory[1] = 0, memory[2] = -1;
    MPI_Win_fence(0, win);
    int one = rank + 1;
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_MAX, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_BAND, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 0)
        say("sum %d, max %d, and %d\n", memory[0], memory[1], memory[2]);
    MPI_Type_free(&second);
    MPI_Type_free(&third);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);

    /* Large, so that the bytes do not travel inside the call. */
    int *large, n = 50000, *source = malloc(n * sizeof(int));
    MPI_Win_allocate(n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &large, &win);
    for (int i = 0; i < n; i++)
        source[i] = i ^ rank;
    MPI_Win_fence(0, win);
    MPI_Put(source, n, MPI_INT, right, 0, n, MPI_INT, win);
    MPI_Win_fence(0, win);
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long)large[i] * (i % 7);
    say("rank %d sum %ld\n", rank, sum);
    MPI_Win_free(&win);
    free(source);
    return finish();
}
