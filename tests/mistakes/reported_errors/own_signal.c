/* A rank that raises a signal dies of it, also of one by which users stop a run; `wait` makes it wait instead, for a signal from outside. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "wait") == 0) {
        double start = MPI_Wtime(), sum = 0;
        fputs("started\n", stderr);
        for (long step = 0; step < atol(argv[2]) * 1000000; step++)
            *(volatile double *)&sum += step;
        if (rank == 0)
            printf("waited %d\n", MPI_Wtime() > start);
    } else if (rank == 1) {
        raise(atoi(argv[1]));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
