/* Rank 0 sends COUNT messages of BYTES, GAP microseconds apart; the others poll for theirs by TEST, ANY, ALL, SOME or PROBE,
 * and all say when they are done. They begin at different dates: who wakes first of those that sleep up to one instant is
 * decided in SimGrid by the last bit of a floating-point number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8

static void poll(const char *how, int count, int bytes, char *data)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int flag = 0, left = count, index, outcount, indices[MOST];
    if (!strcmp(how, "probe")) {
        for (int i = 0; i < count; i++) {
            MPI_Status status;
            for (flag = 0; !flag;)
                MPI_Iprobe(0, i, MPI_COMM_WORLD, &flag, &status);
            MPI_Recv(data, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        return;
    }
    for (int i = 0; i < count; i++)
        MPI_Irecv(data + (size_t)i * bytes, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[i]);
    if (!strcmp(how, "test")) {
        for (int i = 0; i < count; i++)
            for (flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    } else if (!strcmp(how, "all")) {
        while (!flag)
            MPI_Testall(count, requests, &flag, statuses);
    } else if (!strcmp(how, "any")) {
        for (; left > 0; left -= flag)
            MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
    } else {
        for (; left > 0; left -= outcount)
            MPI_Testsome(count, requests, &outcount, indices, statuses);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *how = argc > 1 ? argv[1] : "test";
    int count = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 1024, gap = argc > 4 ? atoi(argv[4]) : 0;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *data = calloc((size_t)count * bytes + 1, 1);
    if (rank == 0) {
        for (int i = 0; i < count; i++) {
            usleep(gap);
            for (int to = 1; to < size; to++)
                MPI_Send(data, bytes, MPI_CHAR, to, i, MPI_COMM_WORLD);
        }
    } else {
        usleep(37 * (rank - 1));
        poll(how, count, bytes, data);
    }
    printf("SIM polls rank=%d how=%s seconds=%.12f\n", rank, how, MPI_Wtime());
    free(data);
    MPI_Finalize();
    return 0;
}
