/* MPI without MPI_Init: a session, a communicator of all ranks, messages and collectives. */
#include "session.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum, flag, got = -1;
    MPI_Initialized(&flag);
    CHECK(!flag);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    CHECK(session != MPI_SESSION_NULL);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &rank);
    MPI_Comm_create_from_group(group, "tests.session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    int me, all;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    CHECK(me == rank && all == size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, (rank + size - 1) % size, 5, comm,
                 MPI_STATUS_IGNORE);
    say("rank %d of %d: sum %d, left %d\n", rank, size, sum, got);
    int code = report(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
    return code;
}
