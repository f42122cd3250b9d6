/* Three ranks send synchronously around a ring; nobody gets to its receive.
 * ranks: 3
 * expect: exit 80; deadlock; MPI_Ssend on ranks 0 1 2, tag 4; cycle 0 -> 1 -> 2 -> 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Ssend(&rank, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    MPI_Recv(&v, 1, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
