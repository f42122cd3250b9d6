/* Computation between messages, unequal among ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    double sum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 5; step++) {
        volatile double x = 1;
        for (int i = 0; i < 200000 * (rank + 1); i++) x = x * 0.999999 + 1e-6;
        sum += x;
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%.9f\n", all);
    MPI_Finalize();
    return 0;
}
