/* What receiving costs: rank 0 takes a message of each other rank, SIZE bytes, sent GAP microseconds apart; it waits for all of them, for
   one after the other, or for any; at once or late. Prints how long that takes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 64

static void take(int how, int ranks, char *buffer, int size) {
    MPI_Request requests[MOST];
    for (int from = 1; from < ranks && how != 1; from++)
        MPI_Irecv(buffer + (size_t)from * size, size, MPI_CHAR, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
    if (how == 0 || how == 3) {
        if (how == 3)
            usleep(500);
        MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int from = 1, index; from < ranks; from++)
        if (how == 1)
            MPI_Recv(buffer, size, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Waitany(ranks - 1, requests, &index, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"all", "each", "any", "late"};
    int rank, ranks, size = atoi(argv[1]), gap = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *buffer = malloc((size_t)ranks * size + 1), *all = malloc((size_t)ranks * size + 1);
    for (int how = 0; how < 4; how++) {
        double start = MPI_Wtime();
        if (rank == 0) {
            take(how, ranks, buffer, size);
            printf("SIM receives how=%s size=%d gap=%d seconds=%.12f\n", names[how], size, gap, MPI_Wtime() - start);
        } else {
            usleep(1 + rank * gap);
            MPI_Send(buffer, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        usleep(1000000 - (int)(1e6 * (MPI_Wtime() - start)));
    }
    double start = MPI_Wtime();
    usleep(1 + rank * gap);
    MPI_Alltoall(buffer, size, MPI_CHAR, all, size, MPI_CHAR, MPI_COMM_WORLD);
    printf("SIM receives how=alltoall rank=%d size=%d gap=%d seconds=%.12f\n", rank, size, gap, MPI_Wtime() - start);
    MPI_Finalize();
    free(buffer);
    free(all);
    return 0;
}
