/* Rank 1 leaves sessions open: "one", "two", or "beside" MPI_Init, which it finalizes. With "none" it finalizes all. */
#include <mpi.h>
#include <string.h>

static MPI_Session open_session(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return session;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Group world;
    MPI_Session first = open_session(), kept = open_session();
    MPI_Group_from_session_pset(kept, "mpi://WORLD", &world);
    MPI_Group_rank(world, &rank);
    MPI_Group_free(&world);
    int leaves = rank == 1 && strcmp(argv[1], "none") != 0, all = leaves && !strcmp(argv[1], "two");
    if (!strcmp(argv[1], "beside")) {
        MPI_Init(&argc, &argv);
        MPI_Finalize();
    }
    if (!all) MPI_Session_finalize(&first);
    if (!leaves) MPI_Session_finalize(&kept);
    return 0;
}
