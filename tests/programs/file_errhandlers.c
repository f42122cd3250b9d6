/* Error handlers of files, and of files that do not exist. */
#include "file.h"
static int called, last;

static void count_errors(MPI_File *fh, int *code, ...)
{
    (void)fh;
    called++;
    last = *code;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Errhandler mine, found;
    MPI_File fh;
    int value = 0;
    MPI_File_get_errhandler(MPI_FILE_NULL, &found);
    say("default returns: %d\n", found == MPI_ERRORS_RETURN);
    MPI_File_create_errhandler(count_errors, &mine);
    fh = open_new(MPI_MODE_RDWR);
    MPI_File_get_errhandler(fh, &found);
    say("a new file returns: %d\n", found == MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(fh, mine);
    tell("handled", MPI_File_write_at(fh, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    say("%d called, the last with %s\n", called, class_of(last));
    tell("called by the program", MPI_File_call_errhandler(fh, MPI_ERR_ARG));
    say("%d called, the last with %s\n", called, class_of(last));
    MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
    tell("returned", MPI_File_write_at(fh, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    say("%d called\n", called);
    close_and_delete(&fh);
    MPI_File_set_errhandler(MPI_FILE_NULL, mine);
    tell("no such file", MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh));
    say("%d called, the last with %s\n", called, class_of(last));
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&mine);
    return finish();
}
