/* Communicators of ranks that share a resource. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm comm, shared;
    MPI_Info info;
    int relation, flag;
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, rank, info, &comm);
    CHECK(comm != MPI_COMM_NULL);
    MPI_Comm_compare(shared, comm, &relation);
    say("rank %d: as shared memory %d\n", rank, relation == MPI_CONGRUENT);
    MPI_Comm_free(&comm);
    MPI_Info_get(info, "mpi_hw_resource_type", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && !strcmp(value, "mpi_shared_memory"));
    MPI_Info_set(info, "mpi_hw_resource_type", "nothing of the kind");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, rank, info, &comm);
    say("rank %d: unknown resource gives null %d\n", rank, comm == MPI_COMM_NULL);
    MPI_Info_free(&info);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, rank, MPI_INFO_NULL, &comm);
    say("rank %d: undefined gives null %d\n", rank, comm == MPI_COMM_NULL);
    MPI_Comm_free(&shared);
    return finish();
}
