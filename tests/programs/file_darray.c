/* A distributed array, cyclic by two, written together and read back. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    enum { N = 24 };
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    int gsizes[1] = {N}, distribs[1] = {MPI_DISTRIBUTE_CYCLIC}, dargs[1] = {2}, psizes[1] = {size}, bytes, mine[N], back[N];
    MPI_Datatype part;
    MPI_Type_create_darray(size, rank, 1, gsizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Type_size(part, &bytes);
    int n = bytes / 4;
    for (int i = 0; i < n; i++)
        mine[i] = 1000 * (rank + 1) + i, back[i] = -1;
    MPI_File_set_view(fh, 0, MPI_INT, part, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, mine, n, MPI_INT, &status);
    MPI_File_read_at_all(fh, 0, back, n, MPI_INT, &status);
    CHECK(memcmp(mine, back, bytes) == 0);
    say("%d elements, read %d\n", n, got(&status, MPI_INT));
    show_ints(scratch);
    MPI_Type_free(&part);
    close_and_delete(&fh);
    return finish();
}
