/* Lines of different ranks in simulated order. With the argument `flush` every line is flushed by the program. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int flushes;

static void say(const char *what, int rank)
{
    printf("%s %d\n", what, rank);
    if (flushes) fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    flushes = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say("begins", rank);
    usleep(1000 * (size - rank));
    say("slept", rank);
    usleep(1000 * 2 * rank);
    say("slept again", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("has the token", rank);
    if (rank != 1) MPI_Send(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    usleep(1000 * rank);
    say("ends", rank);
    return 0;
}
