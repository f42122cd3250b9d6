/* Non-blocking collective accesses beside messages. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Request request;
    int mine[3] = {rank, 10 + rank, 20 + rank}, back[3] = {-1, -1, -1}, sum;
    MPI_File_iwrite_at_all(fh, 12 * rank, mine, 3, MPI_INT, &request);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    say("wrote %d beside a sum of %d\n", got(&status, MPI_INT), sum);
    MPI_File_sync(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(fh, 12 * ((rank + 1) % size), MPI_SEEK_SET);
    MPI_File_iread_all(fh, back, 3, MPI_INT, &request);
    MPI_Wait(&request, &status);
    say("read %d: %d %d %d\n", got(&status, MPI_INT), back[0], back[1], back[2]);
    MPI_File_iread_at_all(fh, 0, back, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("first %d\n", back[0]);
    MPI_File_seek(fh, 12 * size + 4 * rank, MPI_SEEK_SET);
    MPI_File_iwrite_all(fh, &rank, 1, MPI_INT, &request);
    MPI_Wait(&request, &status);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
