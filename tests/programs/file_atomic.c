/* Atomicity, and what writers and readers see of each other in order. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int flag, block[256];
    MPI_File_get_atomicity(fh, &flag);
    say("at first %d\n", flag);
    MPI_File_set_atomicity(fh, 1);
    MPI_File_get_atomicity(fh, &flag);
    say("then %d\n", flag != 0);
    for (int i = 0; i < 256; i++)
        block[i] = rank + 1;
    MPI_File_write_at(fh, 0, block, 256, MPI_INT, &status);
    MPI_File_read_at(fh, 0, block, 256, MPI_INT, &status);
    int mixed = 0;
    for (int i = 1; i < 256; i++)
        mixed += block[i] != block[0];
    CHECK(block[0] >= 1 && block[0] <= size);
    say("mixed: %d\n", mixed);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        block[0] = 12345;
        MPI_File_write_at(fh, 0, block, 1, MPI_INT, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(fh, 0, block, 1, MPI_INT, &status);
    say("all see %d\n", block[0]);
    MPI_File_set_atomicity(fh, 0);
    close_and_delete(&fh);
    return finish();
}
