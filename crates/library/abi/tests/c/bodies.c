#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    int version, subversion, length, class, flag;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    MPI_Get_version(&version, &subversion);
    printf("version %d.%d\n", version, subversion);
    MPI_Get_library_version(library, &length);
    if ((int)strlen(library) != length)
        return 1;
    printf("library %.7s\n", library);
    printf("tick %g\n", MPI_Wtick());
    MPI_Error_class(MPI_ERR_TRUNCATE, &class);
    printf("class %d\n", class);
    PMPI_Initialized(&flag);
    printf("initialized %d\n", flag);
    return 0;
}
