/* A program that uses sessions only and ends with one open.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank \d exited with code 0 before it called MPI_Session_finalize for the session opened by MPI_Session_init at {here} in main; its last MPI call was MPI_Session_init
 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session); /* here */
    return 0;
}
