/* Time-independent traces cannot store accesses to files.
 *
 * ranks: 2
 * options: --trace refused.ti
 * exit: 84
 * stdout: ^5$
 * stderr: cannot write a trace for replay: this format cannot store accesses to files, such as MPI_File_open; FILE\.mpirage can
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 5;
    MPI_File fh;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "traced.bin", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    MPI_File_write_at_all(fh, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d\n", value);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
