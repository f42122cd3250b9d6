/* Process sets: how many there are at least, their names and sizes. */
#include "session.h"

int main(void)
{
    MPI_Session session;
    MPI_Info info;
    int number, flag, length, world = 0, self = 0;
    char name[MPI_MAX_PSET_NAME_LEN], value[MPI_MAX_INFO_VAL + 1];
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "psets");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number);
    CHECK(number >= 2);
    for (int i = 0; i < number; i++) {
        length = 0;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
        CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        CHECK((int)strlen(name) + 1 == length);
        world += !strcmp(name, "mpi://WORLD");
        self += !strcmp(name, "mpi://SELF");
        if (i < 2)
            say("rank %d: %d %s\n", rank, length, name);
    }
    CHECK(world == 1 && self == 1);
    length = 4;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
    say("rank %d: first letters %s\n", rank, name);

    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    MPI_Info_get(info, "mpi_size", MPI_MAX_INFO_VAL, value, &flag);
    say("rank %d: world %d %s\n", rank, flag, flag ? value : "");
    MPI_Info_free(&info);
    MPI_Session_get_pset_info(session, "mpi://SELF", &info);
    MPI_Info_get(info, "mpi_size", MPI_MAX_INFO_VAL, value, &flag);
    say("rank %d: self %d %s\n", rank, flag, flag ? value : "");
    MPI_Info_free(&info);
    int code = report(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return code;
}
