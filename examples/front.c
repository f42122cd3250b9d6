/* A front that moves through a chain of blocks: the blocks that it crosses compute more than the others.
 *
 * Usage: front [ITERATIONS [CELLS]]
 *
 * Every rank has a block of CELLS cells. In every iteration it exchanges its border cells with its neighbours and computes; a block
 * that the front crosses does four times the work. The front passes through all blocks once. Then the rank reaches a migration
 * point: `mpirage balance` decides there whether ranks move to other cores. Work is declared, so that results do not depend
 * on this machine.
 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FLOPS_PER_CELL 100.0
#define WIDTH 0.25 /* of the chain, that the front covers */

/* How many times the usual work a block does. */
static double intensity(int rank, int ranks, int iteration, int iterations)
{
    double front = (1.0 + WIDTH) * iteration / iterations - WIDTH;
    double place = (rank + 0.5) / ranks;
    return place >= front && place < front + WIDTH ? 4.0 : 1.0;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int iterations = argc > 1 ? atoi(argv[1]) : 200;
    int cells = argc > 2 ? atoi(argv[2]) : 100000;
    double *block = calloc((size_t)cells, sizeof *block);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double from_left = 0.0, from_right = 0.0, work = 0.0;
    for (int iteration = 0; iteration < iterations; iteration++) {
        MPI_Sendrecv(&block[0], 1, MPI_DOUBLE, left, 0, &from_right, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&block[cells - 1], 1, MPI_DOUBLE, right, 1, &from_left, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double flops = FLOPS_PER_CELL * cells * intensity(rank, ranks, iteration, iterations);
        smpi_execute_flops(flops);
        work += flops;
        block[0] = from_left + 1.0;
        block[cells - 1] = from_right + 1.0;
        MPIRAGE_MIGRATE(cells * sizeof *block);
    }
    double all;
    MPI_Reduce(&work, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d iterations: %.3g flops\n", ranks, iterations, all);
    free(block);
    MPI_Finalize();
    return 0;
}
