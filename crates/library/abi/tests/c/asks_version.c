#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int version, subversion;

    MPI_Get_version(&version, &subversion);
    printf("version %d\n", version);
    return 0;
}
