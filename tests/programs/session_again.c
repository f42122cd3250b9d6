/* Sessions one after the other, while another one is open. */
#include "session.h"

int main(void)
{
    int code = 0;
    MPI_Session outer;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &outer);
    for (int round = 0; round < 3; round++) {
        MPI_Session session;
        MPI_Info hints, used;
        int flag, least = -1;
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "thread_level", "MPI_THREAD_SINGLE");
        MPI_Session_init(hints, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Info_free(&hints);
        MPI_Session_get_info(session, &used);
        CHECK(used != MPI_INFO_NULL);
        MPI_Info_free(&used);
        MPI_Comm comm = comm_of(session, "mpi://WORLD", "again");
        MPI_Comm_rank(comm, &rank);
        MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, comm);
        MPI_Initialized(&flag);
        say("rank %d: round %d, least %d, initialized %d\n", rank, round, least, flag);
        code |= report(comm);
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
    MPI_Session_finalize(&outer);
    return code;
}
