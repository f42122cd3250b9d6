/* The classes of errors in calls of files. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR), none = MPI_FILE_NULL;
    int value = 1;
    MPI_Offset at;
    MPI_Datatype pair;
    tell("no file", MPI_File_read_at(none, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    tell("close of no file", MPI_File_close(&none));
    tell("size of no file", MPI_File_get_size(none, &at));
    tell("a negative offset", MPI_File_write_at(fh, -4, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    tell("a negative count", MPI_File_write_at(fh, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
    tell("no datatype", MPI_File_write_at(fh, 0, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
    tell("seek from nowhere", MPI_File_seek(fh, 0, 12345));
    tell("delete of nothing", MPI_File_delete("/tmp/mpirage-no-such-file", MPI_INFO_NULL));
    tell("a view before the file", MPI_File_set_view(fh, -8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    tell("no such representation", MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "mine", MPI_INFO_NULL));
    tell("a view of nothing", MPI_File_set_view(fh, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL));
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    tell("a filetype of half an etype", MPI_File_set_view(fh, 0, pair, MPI_INT, "native", MPI_INFO_NULL));
    tell("a view of pairs", MPI_File_set_view(fh, 0, pair, pair, "native", MPI_INFO_NULL));
    tell("half a pair", MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Type_free(&pair);
    close_and_delete(&fh);
    return finish();
}
