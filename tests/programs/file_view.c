/* Views: strided filetypes interleave ranks; positions and offsets count etypes. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Datatype every, etype, filetype;
    MPI_Offset disp, at;
    char datarep[MPI_MAX_DATAREP_STRING];
    int mine[6], back[6];
    for (int i = 0; i < 6; i++)
        mine[i] = 100 * rank + i, back[i] = -1;
    MPI_Type_create_resized(MPI_INT, 0, size * sizeof(int), &every);
    MPI_Type_commit(&every);
    CHECK(MPI_File_set_view(fh, 8 + 4 * rank, MPI_INT, every, "native", MPI_INFO_NULL) == MPI_SUCCESS);
    MPI_File_write(fh, mine, 3, MPI_INT, &status);
    MPI_File_get_position(fh, &at);
    say("wrote %d, at %lld\n", got(&status, MPI_INT), (long long)at);
    MPI_File_write_at(fh, 3, mine + 3, 3, MPI_INT, &status);
    for (int i = 0; i < 4; i++) {
        MPI_File_get_byte_offset(fh, i, &at);
        say("etype %d is at byte %lld\n", i, (long long)at);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, 1, back, 5, MPI_INT, &status);
    say("read %d: %d %d %d %d %d\n", got(&status, MPI_INT), back[0], back[1], back[2], back[3], back[4]);
    MPI_File_get_view(fh, &disp, &etype, &filetype, datarep);
    say("view at %lld, etype is int: %d, \"%s\"\n", (long long)disp, etype == MPI_INT, datarep);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(filetype, &lb, &extent);
    say("filetype from %ld, extent %ld\n", (long)lb, (long)extent);
    if (filetype != MPI_INT) MPI_Type_free(&filetype);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_get_position(fh, &at);
    say("a new view begins at %lld\n", (long long)at);
    show_ints(scratch);
    MPI_Type_free(&every);
    close_and_delete(&fh);
    return finish();
}
