/* Collective accesses with explicit offsets and pointers, with different counts on each rank. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Offset at;
    int mine[8], back[8], n = rank + 1, before = rank * (rank + 1) / 2;
    for (int i = 0; i < 8; i++)
        mine[i] = 10 * rank + i, back[i] = -1;
    MPI_File_write_at_all(fh, 4 * before, mine, n, MPI_INT, &status);
    say("wrote %d at %d\n", got(&status, MPI_INT), 4 * before);
    MPI_File_read_at_all(fh, 0, back, rank % 2 ? 1 : 0, MPI_INT, &status);
    say("read %d: %d\n", got(&status, MPI_INT), back[0]);
    MPI_File_seek(fh, 4 * before, MPI_SEEK_SET);
    MPI_File_read_all(fh, back, n, MPI_INT, &status);
    MPI_File_get_position(fh, &at);
    say("read %d, at %lld: %d\n", got(&status, MPI_INT), (long long)at, back[n - 1]);
    MPI_File_seek(fh, 0, MPI_SEEK_END);
    MPI_File_seek(fh, 4 * rank, MPI_SEEK_CUR);
    MPI_File_write_all(fh, &rank, 1, MPI_INT, &status);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
