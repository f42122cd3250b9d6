/* Rank 0 receives NUMBER (10000) messages of 8 bytes from all other ranks, each with a tag of its own, in another order than they are sent. All receives wait for
   messages (posted) or all messages for receives (unexpected); every other receive takes messages from any source (posted-any, unexpected-any). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int number = argc > 1 ? atoi(argv[1]) : 10000, rank, size;
    const char *kind = argc > 2 ? argv[2] : "posted";
    int unexpected = !strncmp(kind, "unexpected", 10), any = strstr(kind, "any") != NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long *values = malloc(number * sizeof *values), sum = 0;
    MPI_Request *requests = malloc(number * sizeof *requests);
    double begin = MPI_Wtime();
    if (unexpected && rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = 0; rank == 0 && tag < number; tag++)
        MPI_Irecv(&values[tag], 1, MPI_LONG, any && tag % 2 ? MPI_ANY_SOURCE : 1 + tag % (size - 1), tag, MPI_COMM_WORLD, &requests[tag]);
    if (!unexpected) MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; rank && i < number; i++) {
        int tag = i * 7919 % number;
        long value = tag;
        if (1 + tag % (size - 1) == rank) MPI_Send(&value, 1, MPI_LONG, 0, tag, MPI_COMM_WORLD);
    }
    if (unexpected && rank) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
        for (int tag = 0; tag < number; tag++) sum += values[tag] == tag;
        if (sum != number) MPI_Abort(MPI_COMM_WORLD, 1);
        printf("SIM outstanding kind=%s number=%d seconds=%.12f\n", kind, number, MPI_Wtime() - begin);
    }
    free(values);
    free(requests);
    MPI_Finalize();
    return 0;
}
