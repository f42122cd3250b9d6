/* Many bytes and many accesses: larger than any eager limit, in more parts than fit into one call, in order. */
#include "check.h"

#define N 200000

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int *memory, *data = malloc(N * sizeof(int)), *got = malloc(N * sizeof(int));
    MPI_Win win;
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < N; i++)
        memory[i] = 0, data[i] = rank + i, got[i] = -1;
    MPI_Win_fence(0, win);
    MPI_Put(data, N, MPI_INT, right, 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    long wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += memory[i] != left + i;
    MPI_Win_fence(0, win);
    MPI_Accumulate(data, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Get(got, N, MPI_INT, right, 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        wrong += got[i] != 2 * (rank + i);
    say("rank %d: %ld wrong\n", rank, wrong);

    /* Every third element, as a datatype of many parts. */
    MPI_Datatype third;
    MPI_Type_vector(N / 3, 1, 3, MPI_INT, &third);
    MPI_Type_commit(&third);
    MPI_Win_fence(0, win);
    MPI_Put(data, N / 3, MPI_INT, right, 1, 1, third, win);
    MPI_Win_fence(0, win);
    wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += memory[i] != (i % 3 == 1 ? left + i / 3 : 2 * (left + i));
    MPI_Win_fence(0, win);
    MPI_Get(got, 1, third, right, 1, 1, third, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < N / 3; i++)
        wrong += got[3 * i] != rank + i;
    say("rank %d: %ld wrong\n", rank, wrong);
    MPI_Type_free(&third);

    /* Many small ones; accumulations to one place are applied in the order of the calls. */
    for (int i = 0; i < 2000; i++)
        MPI_Put(&data[i], 1, MPI_INT, right, i, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    wrong = 0;
    for (int i = 0; i < 2000; i++)
        wrong += memory[i] != left + i;
    MPI_Win_fence(0, win);
    for (int i = 0; i < 500; i++)
        MPI_Accumulate(&data[i], 1, MPI_INT, right, 5, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    wrong += memory[5] != left + 499;
    say("rank %d: %ld wrong\n", rank, wrong);
    MPI_Win_free(&win);
    free(data);
    free(got);
    return finish();
}
