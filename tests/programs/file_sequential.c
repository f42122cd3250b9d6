/* A sequential file has the shared file pointer only. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh;
    int value = rank + 1, back = 0, sum, total;
    new_scratch();
    MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &fh);
    tell("an explicit offset", MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    tell("the individual pointer", MPI_File_write(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    tell("a seek", MPI_File_seek(fh, 0, MPI_SEEK_SET));
    tell("the shared pointer", MPI_File_write_shared(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &fh);
    MPI_File_read_shared(fh, &back, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Allreduce(&back, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("sum %d of %d\n", sum, total);
    close_and_delete(&fh);
    return finish();
}
