/* A rank stays away from a collective access to a file.
 *
 * ranks: 3
 * exit: 80
 * stderr: rank 0 in MPI_File_write_all at {here} in main waits for rank 2 to enter
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 5;
    MPI_File fh;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "missing.bin", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh);
    MPI_File_delete("missing.bin", MPI_INFO_NULL);
    if (rank < 2)
        MPI_File_write_all(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* here */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
