/* Non-blocking accesses at the shared file pointer. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Request requests[2];
    int mine[2] = {10 * rank + 1, 10 * rank + 2}, back = -1, seen[64] = {0}, all[64];
    MPI_File_iwrite_shared(fh, &mine[0], 1, MPI_INT, &requests[0]);
    MPI_File_iwrite_shared(fh, &mine[1], 1, MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
    for (int i = 0; i < 2; i++) {
        MPI_File_iread_shared(fh, &back, 1, MPI_INT, &requests[0]);
        MPI_Wait(&requests[0], &status);
        CHECK(got(&status, MPI_INT) == 1);
        seen[back]++;
    }
    MPI_Allreduce(seen, all, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 64; i++)
        if (all[i])
            say("%d:%d ", i, all[i]);
    say("\n");
    close_and_delete(&fh);
    return finish();
}
