// OpenBLAS keeps a buffer and the kernels that it chose for the processor.
#include <cblas.h>
#include <mpi.h>
#include <stdio.h>

enum { SIDE = 90 };

static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < SIDE * SIDE; i++) a[i] = i % 7 + rank, b[i] = i % 5;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 3; turn++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, turn, c, SIDE);
        MPI_Allreduce(MPI_IN_PLACE, c, SIDE, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    printf("rank %d: %g %g, norm %.10g\n", rank, c[1], c[SIDE + 1], cblas_dnrm2(SIDE * SIDE, c, 1));
    MPI_Finalize();
    return 0;
}
