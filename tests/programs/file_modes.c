/* Ways to open a file, and what the combinations lead to. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh;
    int amode, value = rank;
    MPI_Offset bytes, at;
    new_scratch();
    tell("no such file", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh));
    tell("no way", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
    tell("two ways", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    tell("created to read", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
    tell("sequential both ways",
         MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &fh));
    tell("exclusive", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL,
                                    MPI_INFO_NULL, &fh));
    MPI_File_get_amode(fh, &amode);
    say("mode as given: %d\n", amode == (MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL));
    MPI_File_write_at(fh, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    tell("read of a file to write", MPI_File_read_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&fh);
    tell("exclusive again", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL,
                                          MPI_INFO_NULL, &fh));
    tell("to append", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL, &fh));
    MPI_File_get_position(fh, &at);
    say("at %lld\n", (long long)at);
    MPI_File_get_position_shared(fh, &at);
    say("shared at %lld\n", (long long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_ordered(fh, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    show_ints(scratch);
    tell("to read", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh));
    tell("write of a file to read", MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&fh);
    tell("deleted at the end", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                             MPI_INFO_NULL, &fh));
    MPI_File_get_size(fh, &bytes);
    say("%lld bytes\n", (long long)bytes);
    MPI_File_close(&fh);
    tell("gone", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh));
    tell("a folder", MPI_File_open(MPI_COMM_WORLD, "/tmp", MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    return finish();
}
