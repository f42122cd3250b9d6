/* All other ranks send BYTES to rank 0 at the same time; rank 0 says when each message is there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *data = calloc(size, bytes + 1);
    if (rank > 0) {
        MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Request *q = malloc(size * sizeof *q);
        for (int r = 1; r < size; r++) MPI_Irecv(data + (size_t)r * bytes, bytes, MPI_CHAR, r, 0, MPI_COMM_WORLD, &q[r - 1]);
        for (int k = 1; k < size; k++) {
            int i;
            MPI_Waitany(size - 1, q, &i, MPI_STATUS_IGNORE);
            printf("SIM share from=%d bytes=%d seconds=%.12f\n", i + 1, bytes, MPI_Wtime());
        }
        free(q);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
