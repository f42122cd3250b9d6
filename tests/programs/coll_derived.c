/* Collectives on derived datatypes: a strided broadcast, matrix columns gathered and scattered, structs. */
#include "check.h"

typedef struct { int id; double weight; char tag[3]; } item;

int main(int argc, char **argv)
{
    start(&argc, &argv);
    /* Broadcast the even places only. */
    MPI_Datatype even;
    MPI_Type_vector(5, 1, 2, MPI_INT, &even);
    MPI_Type_commit(&even);
    int v[10];
    for (int i = 0; i < 10; i++) v[i] = rank == 0 ? i : -1;
    MPI_Bcast(v, 1, even, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++) CHECK(v[i] == (rank == 0 || i % 2 == 0 ? i : -1));
    MPI_Type_free(&even);

    /* Every rank contributes one column of a 3 x size matrix. */
    MPI_Datatype tall, column;
    MPI_Type_vector(3, 1, size, MPI_INT, &tall);
    MPI_Type_create_resized(tall, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    int mine[3] = {rank, rank + 100, rank + 200}, matrix[3 * size], back[3] = {0};
    MPI_Gather(mine, 3, MPI_INT, matrix, 1, column, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < 3; i++)
            for (int r = 0; r < size; r++) CHECK(matrix[i * size + r] == r + 100 * i);
    MPI_Scatter(matrix, 1, column, back, 3, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(memcmp(mine, back, sizeof mine) == 0);
    MPI_Allgather(mine, 3, MPI_INT, matrix, 1, column, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * size; i++) CHECK(matrix[i] == i % size + 100 * (i / size));
    say("%d matrix row 2:", rank);
    for (int r = 0; r < size; r++) say(" %d", matrix[2 * size + r]);
    say("\n");
    MPI_Type_free(&tall), MPI_Type_free(&column);

    int lengths[3] = {1, 1, 3};
    MPI_Aint places[3] = {offsetof(item, id), offsetof(item, weight), offsetof(item, tag)};
    MPI_Datatype kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, loose, record;
    MPI_Type_create_struct(3, lengths, places, kinds, &loose);
    MPI_Type_create_resized(loose, 0, sizeof(item), &record);
    MPI_Type_commit(&record);
    item out[size], in[size];
    for (int r = 0; r < size; r++) out[r] = (item){rank * 100 + r, rank + 0.25, {'a', (char)('a' + rank), (char)('a' + r)}};
    MPI_Alltoall(out, 1, record, in, 1, record, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        CHECK(in[r].id == r * 100 + rank && in[r].weight == r + 0.25 && in[r].tag[1] == 'a' + r && in[r].tag[2] == 'a' + rank);
    MPI_Type_free(&loose), MPI_Type_free(&record);
    return finish();
}
