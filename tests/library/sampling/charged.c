/* Two executions, eight skipped: what is skipped counts like what is executed. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    volatile double x = 0;
    double from = 0, before = 0;
    for (int i = 0; i < 10; i++) {
        if (i == 2) from = MPI_Wtime();
        SMPI_SAMPLE_LOCAL(2) {
            for (int k = 0; k < 2000000; k++) x = x * 0.999 + 1;
        }
        if (i == 1) before = MPI_Wtime();
    }
    printf("skipped %.9f begun %d\n", MPI_Wtime() - from, before > 0);
    MPI_Finalize();
    return 0;
}
