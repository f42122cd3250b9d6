/* Time-independent traces cannot store accesses to windows.
 *
 * ranks: 2
 * options: --trace refused.ti
 * exit: 84
 * stdout: ^0 has 7$
 * stderr: cannot write a trace for replay: this format cannot store one-sided communication, such as MPI_Win_fence; FILE\.mpirage can
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory = 0, value = 7;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        printf("%d has %d\n", rank, memory);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
