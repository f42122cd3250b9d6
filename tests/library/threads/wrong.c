/* Mistakes of threads. The argument says which. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *receive(void *unused)
{
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

static void *crash(void *unused)
{
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *(volatile int *)unused = 1;
    return unused;
}

static void *misuse(void *unused)
{
    MPI_Send(unused, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    return unused;
}

static void *leave(void *unused)
{
    exit(3);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread;
    void *(*function)(void *) = strcmp(argv[1], "deadlock") == 0 || strcmp(argv[1], "two") == 0 ? receive
                                : strcmp(argv[1], "crash") == 0  ? crash
                                : strcmp(argv[1], "misuse") == 0 ? misuse
                                                                 : leave;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&thread, NULL, function, NULL);
        if (strcmp(argv[1], "two") == 0)
            MPI_Recv(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
    } else
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
