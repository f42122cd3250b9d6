/* Ends of runs in which ranks may be ahead of simulated time: `ends HOW`. What is printed after the end must never show. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double big[40000];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *how = argc > 1 ? argv[1] : "crash";
    printf("rank %d begins\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "crash")) {
        /* Rank 2 dies as soon as it gets here, which is later than rank 1 in simulated time. */
        usleep(1000 * (unsigned)rank);
        printf("rank %d goes on\n", rank);
        if (rank == 2)
            raise(SIGSEGV);
        if (rank == 1)
            printf("rank 1 says something first\n");
    } else if (!strcmp(how, "exit")) {
        usleep(1000 * (unsigned)rank);
        printf("rank %d goes on\n", rank);
        if (rank == 2)
            _exit(7);
    } else if (!strcmp(how, "abort")) {
        usleep(rank == 1 ? 1000 : 2000);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        printf("rank %d is too late\n", rank);
        fflush(stdout);
    } else if (!strcmp(how, "deadlock")) {
        usleep(1000 * (unsigned)rank);
        printf("rank %d waits\n", rank);
        MPI_Recv(big, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(how, "truncate")) {
        MPI_Request requests[2];
        MPI_Irecv(big, rank == 2 ? 10 : 20000, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(big + 20000, 20000, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        printf("rank %d got it\n", rank);
    } else if (!strcmp(how, "hang")) {
        usleep(1000 * (unsigned)rank);
        printf("rank %d goes on\n", rank);
        while (rank == 2)
            ;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d ends\n", rank);
    MPI_Finalize();
    return 0;
}
