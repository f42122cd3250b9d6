/* Several files at once, one of them twice. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File files[3];
    MPI_Status status;
    char name[3][300];
    int value[3], back[3];
    new_scratch();
    for (int i = 0; i < 3; i++) {
        snprintf(name[i], sizeof name[i], "%s.%d", scratch, i < 2 ? i : 0);
        MPI_File_open(MPI_COMM_WORLD, name[i], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &files[i]);
        value[i] = 100 * i + rank;
    }
    for (int i = 0; i < 2; i++)
        MPI_File_write_at_all(files[i], 4 * rank, &value[i], 1, MPI_INT, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_File_read_at(files[i], 4 * (size - 1 - rank), &back[i], 1, MPI_INT, &status);
    say("%d %d %d\n", back[0], back[1], back[2]);
    for (int i = 2; i >= 0; i--)
        MPI_File_close(&files[i]);
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            tell("deleted", MPI_File_delete(name[i], MPI_INFO_NULL));
    tell("twice", rank == 0 ? MPI_File_delete(name[0], MPI_INFO_NULL) : MPI_SUCCESS);
    return finish();
}
