/* Sizes: growing, cutting off, preallocating, and what is in between. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Offset bytes;
    MPI_Status status;
    int value = 7, back[3] = {-1, -1, -1};
    MPI_File_get_size(fh, &bytes);
    say("new: %lld\n", (long long)bytes);
    MPI_File_set_size(fh, 40);
    MPI_File_get_size(fh, &bytes);
    say("set: %lld\n", (long long)bytes);
    MPI_File_read_at(fh, 8, back, 3, MPI_INT, &status);
    say("zeros: %d %d %d, %d\n", back[0], back[1], back[2], got(&status, MPI_INT));
    MPI_File_preallocate(fh, 20);
    MPI_File_get_size(fh, &bytes);
    say("preallocated less: %lld\n", (long long)bytes);
    MPI_File_preallocate(fh, 100);
    MPI_File_get_size(fh, &bytes);
    say("preallocated more: %lld\n", (long long)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at(fh, 120 + 4 * rank, &value, 1, MPI_INT, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(fh, &bytes);
    say("written behind the end: %lld\n", (long long)bytes);
    MPI_File_set_size(fh, 6);
    MPI_File_read_at(fh, 0, back, 3, MPI_INT, &status);
    say("six bytes left: %d\n", got(&status, MPI_BYTE));
    tell("a negative size", MPI_File_set_size(fh, -1));
    tell("a negative preallocation", MPI_File_preallocate(fh, -5));
    close_and_delete(&fh);
    return finish();
}
