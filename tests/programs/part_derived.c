/* Partitions of columns: datatypes with holes on one side or on both. */
#include "check.h"

#define ROWS 12
#define COLUMNS 8

static int out[ROWS][COLUMNS], in[ROWS][COLUMNS];

/* Columns become columns, or rows, or rows columns. */
static void run(MPI_Datatype sent, MPI_Datatype got, int right, int left, const char *what)
{
    MPI_Request requests[2];
    MPI_Status status;
    int sum = 0;
    MPI_Psend_init(out, sent == MPI_INT ? 4 : COLUMNS, sent == MPI_INT ? ROWS * COLUMNS / 4 : 1, sent, right, 2,
                   MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, got == MPI_INT ? 2 : COLUMNS, got == MPI_INT ? ROWS * COLUMNS / 2 : 1, got, left, 2,
                   MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                out[i][j] = 10000 * rank + 100 * i + j + round, in[i][j] = -1;
        MPI_Startall(2, requests);
        MPI_Pready_range(0, sent == MPI_INT ? 3 : COLUMNS - 1, requests[0]);
        MPI_Wait(&requests[1], &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum = (31 * sum + in[i][j]) % 1000003;
    say("rank %d: %s %d\n", rank, what, sum);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Datatype vector, column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    run(column, column, right, left, "columns to columns");
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            CHECK(in[i][j] == 10000 * left + 100 * i + j + 1);
    run(column, MPI_INT, right, left, "columns to rows");
    run(MPI_INT, column, right, left, "rows to columns");
    MPI_Type_free(&column);
    MPI_Type_free(&vector);
    return finish();
}
