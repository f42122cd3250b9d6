/* Consistency without atomicity: sync, barrier, sync. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int value, sum = 0;
    for (int round = 0; round < 3; round++) {
        value = 100 * round + rank;
        MPI_File_write_at(fh, 4 * rank, &value, 1, MPI_INT, &status);
        MPI_File_sync(fh);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_sync(fh);
        MPI_File_read_at(fh, 4 * ((rank + 1) % size), &value, 1, MPI_INT, &status);
        say("round %d: %d\n", round, value);
        sum += value;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    say("sum %d\n", sum);
    close_and_delete(&fh);
    return finish();
}
