/* REPEATS (100) of an allreduce over COUNT doubles (1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int repeats = argc > 1 ? atoi(argv[1]) : 100, count = argc > 2 ? atoi(argv[2]) : 1, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
    in[0] = rank;
    double begin = MPI_Wtime();
    for (int i = 0; i < repeats; i++) MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double mine = MPI_Wtime() - begin, slowest;
    int right = out[0] == (double)size * (size - 1) / 2;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("SIM allreduce ranks=%d repeats=%d count=%d seconds=%.12f\n", size, repeats, count, slowest);
    free(in), free(out);
    MPI_Finalize();
    return right ? 0 : 1;
}
