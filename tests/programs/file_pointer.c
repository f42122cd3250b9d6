/* The individual file pointer: reads and writes move it, seeks in all three ways. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Offset at;
    int value[8];
    for (int i = 0; i < 8; i++)
        value[i] = 10 * rank + i;
    MPI_File_seek(fh, 32 * rank, MPI_SEEK_SET);
    MPI_File_write(fh, value, 3, MPI_INT, &status);
    MPI_File_get_position(fh, &at);
    say("after a write: %lld\n", (long long)at);
    MPI_File_write(fh, value + 3, 5, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_get_position(fh, &at);
    say("after another: %lld\n", (long long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(fh, -12, MPI_SEEK_CUR);
    MPI_File_read(fh, value, 2, MPI_INT, &status);
    say("back by three: %d %d, %d read\n", value[0], value[1], got(&status, MPI_INT));
    MPI_File_seek(fh, -4, MPI_SEEK_END);
    MPI_File_read(fh, value, 1, MPI_INT, &status);
    MPI_File_get_position(fh, &at);
    say("the last: %d, now at %lld\n", value[0], (long long)at);
    MPI_File_read(fh, value, 4, MPI_INT, &status);
    MPI_File_get_position(fh, &at);
    say("nothing left: %d, at %lld\n", got(&status, MPI_INT), (long long)at);
    tell("a seek before the beginning", MPI_File_seek(fh, -1, MPI_SEEK_SET));
    MPI_File_get_position(fh, &at);
    say("unmoved: %lld\n", (long long)at);
    tell("a seek beyond the end", MPI_File_seek(fh, 1000, MPI_SEEK_END));
    MPI_File_get_position(fh, &at);
    say("there: %lld\n", (long long)at);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
