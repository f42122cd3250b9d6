/* Pi as the integral of 4/(1+x^2): every rank takes each size-th slice, one Reduce adds them up. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int slices = argc > 1 ? atoi(argv[1]) : 100000;
    MPI_Bcast(&slices, 1, MPI_INT, 0, MPI_COMM_WORLD);

    double width = 1.0 / slices, sum = 0;
    for (int i = rank; i < slices; i += size) {
        double x = (i + 0.5) * width;
        sum += 4.0 / (1.0 + x * x);
    }
    double part = sum * width, pi = 0;
    MPI_Reduce(&part, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    int right = 1;
    if (rank == 0) {
        printf("pi is about %.6f with %d slices\n", pi, slices);
        right = fabs(pi - 3.14159265358979) < 1e-6;
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
