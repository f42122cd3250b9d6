/* A process set that does not exist.
 *
 * ranks: 1
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Group_from_session_pset at {set} in main: there is no process set mpi://NOWHERE
 */
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group); /* set */
    MPI_Session_finalize(&session);
    return 0;
}
