/* Blocks of a few megabytes, interleaved in pieces, written together and read alone. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    enum { PIECES = 64, PIECE = 4096 };
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Datatype pieces;
    int *mine = (int *)malloc(PIECES * PIECE * sizeof(int)), *back = (int *)malloc(PIECES * PIECE * sizeof(int));
    for (int i = 0; i < PIECES * PIECE; i++)
        mine[i] = rank * 1000003 + i, back[i] = -1;
    MPI_Type_vector(PIECES, PIECE, PIECE * size, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
    MPI_File_set_view(fh, rank * PIECE * sizeof(int), MPI_INT, pieces, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, mine, PIECES * PIECE, MPI_INT, &status);
    say("wrote %d\n", got(&status, MPI_INT));
    MPI_File_sync(fh);
    MPI_File_read_at(fh, 0, back, PIECES * PIECE, MPI_INT, &status);
    CHECK(memcmp(mine, back, PIECES * PIECE * sizeof(int)) == 0);
    MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(fh, rank * PIECES * PIECE, back, PIECES * PIECE, MPI_INT, &status);
    long long sum = 0, all;
    for (int i = 0; i < PIECES * PIECE; i++)
        sum += back[i];
    MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    say("sum %lld of %lld\n", sum, all);
    MPI_Offset bytes;
    MPI_File_get_size(fh, &bytes);
    say("%lld bytes\n", (long long)bytes);
    MPI_Type_free(&pieces);
    free(mine);
    free(back);
    close_and_delete(&fh);
    return finish();
}
