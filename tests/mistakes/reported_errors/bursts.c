/* Equal bursts, and one that is far longer if `disturbed` is given: measured runs warn of it, and medians of several runs leave out
   what happens only once (`once FILE`: only in the first run, which makes FILE). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void work(long times)
{
    for (volatile long i = 0; i < times; i++) {
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, longer = argc > 1 && strcmp(argv[1], "disturbed") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && rank == 0 && access(argv[2], F_OK) != 0) {
        longer = 1;
        fclose(fopen(argv[2], "w"));
    }
    for (int i = 0; i < 40; i++) {
        work((i == 30 && rank == 0 && longer ? 101 : 1) * 1000 * 1000L);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
