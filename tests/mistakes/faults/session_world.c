/* MPI_COMM_WORLD without MPI_Init.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Barrier at {world} in main: MPI_COMM_WORLD does not exist without MPI_Init
 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Barrier(MPI_COMM_WORLD); /* world */
    MPI_Session_finalize(&session);
    return 0;
}
