/* What the programs with sessions share: reports in rank order over a communicator of theirs. */
#ifndef SESSION_H
#define SESSION_H
#include "check.h"

/* Prints the text of all ranks of the communicator in rank order; gives main's exit code. */
__attribute__((unused)) static int report(MPI_Comm comm)
{
    int me, all, total;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, comm);
    if (me > 0) {
        MPI_Send(said, (int)said_len, MPI_CHAR, 0, 1, comm);
    } else {
        fwrite(said, 1, said_len, stdout);
        for (int r = 1; r < all; r++) {
            char text[65536];
            MPI_Status status;
            int length;
            MPI_Recv(text, sizeof text, MPI_CHAR, r, 1, comm, &status);
            MPI_Get_count(&status, MPI_CHAR, &length);
            fwrite(text, 1, length, stdout);
        }
        printf("mistakes: %d\n", total);
    }
    free(said);
    said = NULL, said_len = said_room = 0;
    return total ? 1 : 0;
}

/* A communicator of a process set of the session. */
__attribute__((unused)) static MPI_Comm comm_of(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}
#endif
