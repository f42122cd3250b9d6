/* Derived datatypes at the origin, at the target and at both. */
#include "check.h"

static int memory[64], local[64];
static MPI_Win win;

static void fresh(void)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < 64; i++)
        memory[i] = -1 - i, local[i] = 100 * rank + i;
    MPI_Win_fence(0, win);
}

static void show(const char *what, const int *ints)
{
    MPI_Win_fence(0, win);
    say("%s of %d:", what, rank);
    for (int i = 0; i < 64; i++)
        if (ints[i] != (ints == memory ? -1 - i : 100 * rank + i))
            say(" %d=%d", i, ints[i]);
    say("\n");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype column, spread, block, pairs, record;
    MPI_Type_vector(4, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    int lengths[3] = {1, 3, 2}, places[3] = {20, 3, 9};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    int sizes[2] = {8, 8}, parts[2] = {3, 2}, starts[2] = {2, 5};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &block);
    MPI_Type_commit(&block);
    MPI_Type_create_resized(MPI_2INT, 0, 3 * sizeof(int), &pairs);
    MPI_Type_commit(&pairs);
    int counts[2] = {2, 1};
    MPI_Aint offsets[2] = {0, 5 * sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Type_create_struct(2, counts, offsets, types, &record);
    MPI_Type_commit(&record);

    fresh();
    MPI_Put(local, 4, MPI_INT, right, 2, 1, column, win);
    show("put into a column", memory);
    fresh();
    MPI_Put(local, 1, column, right, 2, 4, MPI_INT, win);
    show("put from a column", memory);
    fresh();
    MPI_Put(local, 1, block, right, 1, 1, spread, win);
    show("put from block to spread", memory);
    fresh();
    MPI_Get(local, 1, spread, right, 0, 1, block, win);
    show("get from block to spread", local);
    fresh();
    MPI_Get(local + 10, 6, MPI_INT, right, 4, 3, pairs, win);
    show("get pairs", local);
    fresh();
    MPI_Put(local, 2, record, right, 6, 3, pairs, win);
    show("put records into pairs", memory);
    fresh();
    MPI_Accumulate(local, 6, MPI_INT, right, 0, 1, block, MPI_SUM, win);
    show("accumulate into a block", memory);
    fresh();
    MPI_Accumulate(local, 1, spread, right, 0, 2, record, MPI_PROD, win);
    show("accumulate into records", memory);
    fresh();
    MPI_Accumulate(local, 1, column, right, 8, 1, column, MPI_REPLACE, win);
    show("replace a column", memory);
    fresh();
    MPI_Get_accumulate(local, 1, column, local + 32, 1, column, right, 5, 4, MPI_INT, MPI_MAX, win);
    show("get_accumulate, target", memory);
    show("get_accumulate, origin", local);
    fresh();
    MPI_Put(local, 0, MPI_INT, right, 0, 0, column, win);
    MPI_Get(local, 0, column, right, 0, 0, MPI_INT, win);
    show("nothing", memory);

    MPI_Type_free(&column);
    MPI_Type_free(&spread);
    MPI_Type_free(&block);
    MPI_Type_free(&pairs);
    MPI_Type_free(&record);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    return finish();
}
