/* Some ranks of a file read together while others write.
 *
 * ranks: 2
 * exit: 81
 * stderr: ranks of a file call different collective accesses: some read, others write
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 5;
    MPI_File fh;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "kinds.bin", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    if (rank == 0) MPI_File_delete("kinds.bin", MPI_INFO_NULL);
    if (rank == 0)
        MPI_File_write_all(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_read_all(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
