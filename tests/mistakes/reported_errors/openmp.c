/* Four threads of OpenMP work at the same time; then a child process works. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    double start = MPI_Wtime();
#pragma omp parallel num_threads(4)
    for (volatile long i = 0; i < 50 * 1000 * 1000; i++) {
    }
    printf("threads %.9f\n", MPI_Wtime() - start);
    start = MPI_Wtime();
    if (system("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done") != 0)
        return 1;
    printf("child %.9f\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
