/* A put beyond the end of the target's window.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 0 was stopped in MPI_Put at {put} in main: it accesses the memory of rank 1: bytes 12 to 19 of a window of 16 bytes
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory[4] = {0}, values[2] = {1, 2};
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(values, 2, MPI_INT, 1, 3, 2, MPI_INT, win); /* put */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
