/* Non-blocking accesses and every way to complete them. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status statuses[4];
    MPI_Request requests[4];
    int mine[4][4], back[4][4], flag = 0, index, count;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            mine[i][j] = 1000 * rank + 10 * i + j, back[i][j] = -1;
    for (int i = 0; i < 4; i++)
        MPI_File_iwrite_at(fh, 64 * rank + 16 * i, mine[i], 4, MPI_INT, &requests[i]);
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; i++)
        say("wrote %d%s", got(&statuses[i], MPI_INT), i < 3 ? ", " : "\n");
    MPI_Barrier(MPI_COMM_WORLD);
    int next = (rank + 1) % size;
    MPI_File_iread_at(fh, 64 * next, back[0], 4, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    say("read %d: %d %d\n", got(&statuses[0], MPI_INT), back[0][0], back[0][3]);
    MPI_File_iread_at(fh, 64 * next + 16, back[1], 4, MPI_INT, &requests[0]);
    while (!flag)
        MPI_Test(&requests[0], &flag, &statuses[0]);
    say("tested %d: %d\n", got(&statuses[0], MPI_INT), back[1][0]);
    MPI_File_seek(fh, 64 * next, MPI_SEEK_SET);
    MPI_File_iread(fh, back[2], 4, MPI_INT, &requests[0]);
    MPI_File_iread(fh, back[3], 4, MPI_INT, &requests[1]);
    for (int i = 0; i < 2; i++)
        MPI_Waitany(2, requests, &index, &statuses[index = 0]);
    say("any: %d %d\n", back[2][0], back[3][0]);
    MPI_File_seek(fh, 64 * size + 8 * rank, MPI_SEEK_SET);
    MPI_File_iwrite(fh, mine[0], 1, MPI_INT, &requests[0]);
    MPI_File_iwrite(fh, mine[1], 1, MPI_INT, &requests[1]);
    for (int done = 0; done < 2; done += count) {
        int places[2];
        MPI_Waitsome(2, requests, &count, places, statuses);
    }
    MPI_Offset at;
    MPI_File_get_position(fh, &at);
    say("at %lld\n", (long long)at);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
