/* The shared file pointer: each rank writes and reads some records, in whatever order. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Offset at;
    int seen[64] = {0}, value, total = 0;
    for (int i = 0; i < 3; i++) {
        value = 10 * rank + i;
        MPI_File_write_shared(fh, &value, 1, MPI_INT, &status);
        CHECK(got(&status, MPI_INT) == 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(fh, &at);
    say("written to %lld\n", (long long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    for (int i = 0; i < 3; i++) {
        MPI_File_read_shared(fh, &value, 1, MPI_INT, &status);
        CHECK(got(&status, MPI_INT) == 1);
        seen[value]++;
        total += value;
    }
    int all[64], sum;
    MPI_Allreduce(seen, all, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&total, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 3; i++)
            CHECK(all[10 * r + i] == 1);
    say("sum %d\n", sum);
    MPI_File_seek_shared(fh, -4, MPI_SEEK_END);
    MPI_File_get_position_shared(fh, &at);
    say("four before the end: %lld\n", (long long)at);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(fh, 4, MPI_SEEK_CUR);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(fh, &at);
    say("the end: %lld\n", (long long)at);
    close_and_delete(&fh);
    return finish();
}
