/* A file whose errors are fatal: the message has the call, the line and the reason.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_File_open at {here} in main: cannot open /no/such/folder/a: No such file
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_File fh;
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_WORLD, "/no/such/folder/a", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh); /* here */
    MPI_Finalize();
    return 0;
}
