/* Regions: 1 around everything, 2 three times inside it for 5 ms each with a barrier, 3 on rank 0 only, which never ends. */

#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(1);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Pcontrol(2);
        usleep(rank == 0 ? 5000 : 1000);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(-2);
        usleep(2000);
    }
    MPI_Pcontrol(-1);
    if (rank == 0)
        MPI_Pcontrol(3);
    usleep(4000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
