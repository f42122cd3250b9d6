/* A tool that puts itself between a program and the library. */
#include <mpi.h>

int MPI_Get_version(int *version, int *subversion)
{
    int code = PMPI_Get_version(version, subversion);
    *version += 1000;
    return code;
}
