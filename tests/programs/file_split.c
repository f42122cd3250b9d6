/* Split collective accesses, with work between the beginning and the end. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int mine[2] = {rank, 100 + rank}, back[2] = {-1, -1}, sum;
    MPI_File_write_at_all_begin(fh, 8 * rank, mine, 2, MPI_INT);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_File_write_at_all_end(fh, mine, &status);
    say("wrote %d, sum %d\n", got(&status, MPI_INT), sum);
    MPI_File_read_at_all_begin(fh, 8 * (size - 1 - rank), back, 2, MPI_INT);
    MPI_File_read_at_all_end(fh, back, &status);
    say("read %d: %d %d\n", got(&status, MPI_INT), back[0], back[1]);
    MPI_File_seek(fh, 8 * size + 4 * rank, MPI_SEEK_SET);
    MPI_File_write_all_begin(fh, mine, 1, MPI_INT);
    MPI_File_write_all_end(fh, mine, MPI_STATUS_IGNORE);
    MPI_File_seek(fh, 8 * rank, MPI_SEEK_SET);
    MPI_File_read_all_begin(fh, back, 2, MPI_INT);
    MPI_File_read_all_end(fh, back, &status);
    CHECK(back[0] == rank && back[1] == 100 + rank);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_END);
    MPI_File_write_ordered_begin(fh, mine + 1, 1, MPI_INT);
    MPI_File_write_ordered_end(fh, mine + 1, &status);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(fh, back, 1, MPI_INT);
    MPI_File_read_ordered_end(fh, back, &status);
    say("ordered %d: %d\n", got(&status, MPI_INT), back[0]);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
