/* Explicit offsets: every rank writes its block, reads the next one, and reads across blocks. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int mine[4], theirs[6], next = (rank + 1) % size;
    for (int i = 0; i < 4; i++)
        mine[i] = 100 * rank + i;
    MPI_File_write_at(fh, 16 * rank, mine, 4, MPI_INT, &status);
    say("wrote %d ints, %d bytes\n", got(&status, MPI_INT), got(&status, MPI_BYTE));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, 16 * next, theirs, 4, MPI_INT, &status);
    say("read %d: %d %d %d %d\n", got(&status, MPI_INT), theirs[0], theirs[1], theirs[2], theirs[3]);
    MPI_File_read_at(fh, 8, theirs, 2 + (size > 1 ? 2 : 0), MPI_INT, &status);
    say("across: %d %d\n", theirs[0], theirs[size > 1 ? 2 : 1]);
    MPI_File_read_at(fh, 16 * size - 4, theirs, 6, MPI_INT, &status);
    say("at the end: %d ints, %d\n", got(&status, MPI_INT), theirs[0]);
    MPI_File_read_at(fh, 16 * size + 400, theirs, 6, MPI_INT, &status);
    say("behind the end: %d ints\n", got(&status, MPI_INT));
    MPI_File_write_at(fh, 0, mine, 0, MPI_INT, &status);
    say("nothing: %d\n", got(&status, MPI_INT));
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
