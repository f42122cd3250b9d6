/* Communicators of parts of a process set, made at the same time with different tags. */
#include "session.h"

int main(void)
{
    MPI_Session session;
    MPI_Group world, part, both, none;
    MPI_Comm comm, parts, dup;
    int sum, relation, me;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_size(world, &size);
    MPI_Group_rank(world, &rank);
    MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);

    int ranges[1][3] = {{rank % 2, size - 1, 2}};
    MPI_Group_range_incl(world, 1, ranges, &part);
    MPI_Comm_create_from_group(part, rank % 2 ? "odd" : "even", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &parts);
    MPI_Comm_rank(parts, &me);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, parts);
    say("rank %d: part %d, sum %d\n", rank, me, sum);

    MPI_Comm_group(comm, &both);
    MPI_Group_compare(world, both, &relation);
    CHECK(relation == MPI_IDENT);
    MPI_Group_difference(world, both, &none);
    CHECK(none == MPI_GROUP_EMPTY);
    MPI_Comm_dup(parts, &dup);
    MPI_Comm_compare(parts, dup, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, dup);
    say("rank %d: most %d\n", rank, sum);
    MPI_Group_free(&both);
    MPI_Group_free(&part);
    MPI_Group_free(&world);
    int code = report(comm);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&parts);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return code;
}
