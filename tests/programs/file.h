/* What the programs about files share: a file of their own, names of error classes, and a look at a file's bytes. */
#ifndef FILE_H
#define FILE_H
#include "check.h"
#include <unistd.h>

static char scratch[256];

/* The name of a file that no other program uses; it does not exist. */
__attribute__((unused)) static const char *new_scratch(void)
{
    if (rank == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(scratch, sizeof scratch, "%s/mpirage-file-XXXXXX", folder ? folder : "/tmp");
        int descriptor = mkstemp(scratch);
        CHECK(descriptor >= 0);
        close(descriptor);
        unlink(scratch);
    }
    MPI_Bcast(scratch, sizeof scratch, MPI_CHAR, 0, MPI_COMM_WORLD);
    return scratch;
}

__attribute__((unused)) static MPI_File open_new(int amode)
{
    MPI_File fh;
    int code = MPI_File_open(MPI_COMM_WORLD, new_scratch(), amode | MPI_MODE_CREATE, MPI_INFO_NULL, &fh);
    CHECK(code == MPI_SUCCESS);
    return fh;
}

__attribute__((unused)) static const char *class_of(int code)
{
    static const struct { int class; const char *name; } known[] = {
        {MPI_SUCCESS, "SUCCESS"}, {MPI_ERR_FILE, "FILE"}, {MPI_ERR_AMODE, "AMODE"}, {MPI_ERR_ARG, "ARG"},
        {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"}, {MPI_ERR_FILE_EXISTS, "FILE_EXISTS"}, {MPI_ERR_ACCESS, "ACCESS"},
        {MPI_ERR_READ_ONLY, "READ_ONLY"}, {MPI_ERR_BAD_FILE, "BAD_FILE"}, {MPI_ERR_IO, "IO"}, {MPI_ERR_COUNT, "COUNT"},
        {MPI_ERR_UNSUPPORTED_OPERATION, "UNSUPPORTED_OPERATION"}, {MPI_ERR_UNSUPPORTED_DATAREP, "UNSUPPORTED_DATAREP"},
        {MPI_ERR_TYPE, "TYPE"}, {MPI_ERR_COMM, "COMM"}, {MPI_ERR_NOT_SAME, "NOT_SAME"}, {MPI_ERR_OTHER, "OTHER"},
        {MPI_ERR_BUFFER, "BUFFER"}, {MPI_ERR_DUP_DATAREP, "DUP_DATAREP"}, {MPI_ERR_CONVERSION, "CONVERSION"}};
    int class, i, n = sizeof known / sizeof known[0];
    MPI_Error_class(code, &class);
    for (i = 0; i < n && known[i].class != class; i++)
        ;
    return i < n ? known[i].name : "?";
}

__attribute__((unused)) static void tell(const char *what, int code)
{
    say("%s: %s\n", what, class_of(code));
}

/* What a status counts, in elements of a datatype. */
__attribute__((unused)) static int got(const MPI_Status *status, MPI_Datatype datatype)
{
    int count;
    MPI_Get_count(status, datatype, &count);
    return count;
}

/* Rank 0 shows the ints of a file. */
__attribute__((unused)) static void show_ints(const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        FILE *file = fopen(name, "rb");
        CHECK(file != NULL);
        int value, n = 0;
        while (file && fread(&value, sizeof value, 1, file) == 1) {
            say("%d ", value);
            n++;
        }
        say("(%d ints)\n", n);
        if (file) fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((unused)) static void close_and_delete(MPI_File *fh)
{
    CHECK(MPI_File_close(fh) == MPI_SUCCESS);
    CHECK(*fh == MPI_FILE_NULL);
    if (rank == 0) CHECK(MPI_File_delete(scratch, MPI_INFO_NULL) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
}
#endif
