/* master.c: workers send a result in two messages, its length and then its numbers. Does rank 0 always receive what belongs together? */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        int length = 10 * rank;
        double *numbers = calloc(length, sizeof *numbers);
        MPI_Send(&length, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(numbers, length, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        free(numbers);
    }
    for (int worker = 1; rank == 0 && worker < size; worker++) {
        int length;
        MPI_Recv(&length, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double *numbers = calloc(length, sizeof *numbers);
        MPI_Recv(numbers, length, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d numbers\n", length);
        free(numbers);
    }
    MPI_Finalize();
    return 0;
}
