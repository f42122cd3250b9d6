/* Every rank computes FLOPS flops, TIMES times, and then sends BYTES to the next rank; it says how long each of these took. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double flops = argc > 1 ? atof(argv[1]) : 1e9;
    int times = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 0, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc(bytes + 1, 1), *in = malloc(bytes + 1);
    for (int i = 0; i < times; i++) {
        double begin = MPI_Wtime();
        smpi_execute_flops(flops);
        double computed = MPI_Wtime();
        MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("SIM work rank=%d time=%d computes seconds=%.12f\n", rank, i, computed - begin);
        printf("SIM work rank=%d time=%d sends seconds=%.12f\n", rank, i, MPI_Wtime() - computed);
    }
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
