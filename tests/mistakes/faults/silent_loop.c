/* One rank computes for ever and never calls MPI again. With a limit (argument: seconds; default for ever) it gives up
 * by itself, so that a test without the simulator's watchdog does not hang either.
 *
 * ranks: 2
 * options: --rank-timeout 1
 * exit: 81
 * stderr: rank 1 has not called MPI for 1 s; its last MPI call was MPI_Barrier at {here} in main; --rank-timeout set this limit
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank;
    double limit = argc > 1 ? atof(argv[1]) : 1e9;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD); /* here */
    if (rank == 1) {
        volatile unsigned long spins = 0;
        while ((double)clock() / CLOCKS_PER_SEC < limit) spins++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
