/* A get of memory that is not attached to the window.
 *
 * ranks: 2
 * exit: 81
 * stderr: rank 1 was stopped in MPI_Get at {get} in main: it accesses the memory of rank 0: 4 bytes at 0x[0-9a-f]+, which are not attached to the window
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory[4] = {0}, value;
    MPI_Aint place;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, 3 * sizeof(int));
    MPI_Get_address(&memory[3], &place);
    MPI_Bcast(&place, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Get(&value, 1, MPI_INT, 0, place, 1, MPI_INT, win); /* get */
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
