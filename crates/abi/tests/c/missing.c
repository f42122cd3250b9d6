/* Nobody will write this function for a while. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    printf("before\n");
    MPI_T_pvar_readreset(NULL, NULL, NULL);
    printf("after\n");
    return 0;
}
