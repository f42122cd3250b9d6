/* All ranks return 0 from main without Finalize.
 * ranks: 2
 * expect: exit 81; ranks 0 1 ended without MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
