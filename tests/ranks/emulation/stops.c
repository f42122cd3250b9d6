/* Messages between two ranks. Unless the run is one of a search for a time factor, rank 0 stops the simulator for half a second. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !getenv("MPIRAGE_TRY_INTO")) {
        char command[128];
        snprintf(command, sizeof command, "(sleep 0.05; kill -STOP %d; sleep 0.5; kill -CONT %d) >/dev/null 2>&1 &", getppid(), getppid());
        if (system(command)) return 1;
    }
    for (int round = 0; round < 20; round++) {
        /* Rank 1 waits already: no message is unexpected, whatever the load of this machine. */
        if (rank == 0) usleep(10000), MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
