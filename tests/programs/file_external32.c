/* The standard's representation: big-endian bytes in the file, the same values back. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Aint extent;
    int mine[2] = {0x01020304 + rank, -2}, back[2];
    double real = 1.5, again = 0;
    unsigned char raw[8];
    MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    MPI_File_get_type_extent(fh, MPI_DOUBLE, &extent);
    say("a double has %ld bytes\n", (long)extent);
    MPI_File_write_at(fh, 4 * rank, mine, 2, MPI_INT, &status);
    say("wrote %d\n", got(&status, MPI_INT));
    MPI_File_write_at(fh, 4 * rank + 2, &real, 1, MPI_DOUBLE, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, 4 * rank, back, 2, MPI_INT, &status);
    MPI_File_read_at(fh, 4 * rank + 2, &again, 1, MPI_DOUBLE, &status);
    say("read %x %d %g\n", back[0], back[1], again);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(fh, 16 * rank, raw, 8, MPI_BYTE, &status);
    for (int i = 0; i < 8; i++)
        say("%02x ", raw[i]);
    say("\n");
    close_and_delete(&fh);
    return finish();
}
