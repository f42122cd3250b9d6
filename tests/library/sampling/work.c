/* Declared work takes the time it says, on a host of 1 Gf/s, and nothing else does without computation. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

static double since(double *from) {
    double now = MPI_Wtime(), span = now - *from;
    *from = now;
    return span;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int executed = 0;
    double from = MPI_Wtime();
    SMPI_SAMPLE_DELAY(2e9) { executed++; }
    printf("delay %.6f executed %d\n", since(&from), executed);
    SMPI_SAMPLE_FLOPS(3e9) { executed++; }
    printf("flops %.6f executed %d\n", since(&from), executed);
    smpi_execute_flops(5e8);
    smpi_execute_flops_benched(5e8);
    printf("execute_flops %.6f\n", since(&from));
    smpi_execute(0.25);
    smpi_execute_benched(0.25);
    printf("execute %.6f\n", since(&from));
    MPI_Finalize();
    return 0;
}
