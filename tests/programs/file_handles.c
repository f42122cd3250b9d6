/* Handles of files in Fortran and back. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR), same;
    MPI_Fint number = MPI_File_c2f(fh);
    int value = 3 + rank, back = 0;
    same = MPI_File_f2c(number);
    say("the same: %d\n", same == fh);
    say("none: %d\n", MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    MPI_File_write_at(same, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(fh, 4 * rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE);
    say("%d\n", back);
    close_and_delete(&fh);
    return finish();
}
