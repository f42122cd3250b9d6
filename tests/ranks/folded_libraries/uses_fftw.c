// Each rank plans a transform of its own length; FFTW keeps plans and what it learned about them.
#include <fftw3.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int length = 16 + 3 * rank;
    fftw_complex *in = fftw_alloc_complex(length), *out = fftw_alloc_complex(length);
    fftw_plan plan = fftw_plan_dft_1d(length, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < length; i++) in[i][0] = i * (rank + 1), in[i][1] = i % 3;
    MPI_Barrier(MPI_COMM_WORLD);
    fftw_execute(plan);
    if (rank % 2) fftw_forget_wisdom();
    MPI_Barrier(MPI_COMM_WORLD);
    char *wisdom = fftw_export_wisdom_to_string();
    int words = 0;
    for (char *at = wisdom; *at; at++) words += *at == '(';
    double mine[2] = {out[1][0], out[length - 1][1]}, sum[2];
    MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %.10f %.10f, wisdom %d, sum %.8f %.8f\n", rank, mine[0], mine[1], words, sum[0], sum[1]);
    fftw_destroy_plan(plan);
    fftw_cleanup();
    MPI_Finalize();
    return 0;
}
