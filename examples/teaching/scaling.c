/* scaling.c: a fixed amount of work on more and more ranks, with a sum over all ranks after each step */
#include <mpi.h>
#include <smpi/smpi.h> /* smpi_execute_flops: declared computation, which takes as long on every student's machine */
#include <stdio.h>

enum { STEPS = 20, OPERATIONS = 10000000 /* of a step, of all ranks together */ };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double mine = 1, sum, began = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        smpi_execute_flops((double)OPERATIONS / size);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%2d ranks: %.3f ms\n", size, (MPI_Wtime() - began) * 1e3);
    MPI_Finalize();
    return 0;
}
