/* Ordered accesses: ranks follow each other at the shared file pointer. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Offset at;
    int mine[4], back[4] = {-1, -1, -1, -1}, n = 1 + rank % 3;
    for (int i = 0; i < 4; i++)
        mine[i] = 100 * rank + i;
    MPI_File_write_ordered(fh, mine, n, MPI_INT, &status);
    say("wrote %d\n", got(&status, MPI_INT));
    MPI_File_write_ordered(fh, mine, 1, MPI_INT, &status);
    MPI_File_get_position_shared(fh, &at);
    say("at %lld\n", (long long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(fh, back, n, MPI_INT, &status);
    say("read %d: %d .. %d\n", got(&status, MPI_INT), back[0], back[n - 1]);
    CHECK(back[0] == mine[0] && back[n - 1] == mine[n - 1]);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
