/* Each rank writes its part of a matrix through a subarray, together; then reads a column. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    enum { ROWS = 6, EACH = 4 };
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int sizes[2] = {ROWS, EACH * size}, part[2] = {ROWS, EACH}, first[2] = {0, EACH * rank}, block[ROWS][EACH];
    MPI_Datatype columns, column;
    MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_C, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < EACH; j++)
            block[i][j] = 100 * i + EACH * rank + j;
    MPI_File_set_view(fh, 0, MPI_INT, columns, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, block, ROWS * EACH, MPI_INT, &status);
    say("wrote %d\n", got(&status, MPI_INT));
    int one[2] = {ROWS, 1}, start_at[2] = {0, (EACH * rank + EACH) % (EACH * size)}, line[ROWS];
    MPI_Type_create_subarray(2, sizes, one, start_at, MPI_ORDER_C, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_File_set_view(fh, 0, MPI_INT, column, "native", MPI_INFO_NULL);
    MPI_File_read_all(fh, line, ROWS, MPI_INT, &status);
    for (int i = 0; i < ROWS; i++)
        say("%d ", line[i]);
    say("\n");
    show_ints(scratch);
    MPI_Type_free(&columns);
    MPI_Type_free(&column);
    close_and_delete(&fh);
    return finish();
}
