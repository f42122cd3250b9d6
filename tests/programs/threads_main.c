/* What threads learn of themselves, and calls of several threads that communicate with each other inside one rank. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, seen_main = -1, seen_level = -1, received = -1;

static void *look(void *unused)
{
    MPI_Is_thread_main(&seen_main);
    MPI_Query_thread(&seen_level);
    return unused;
}

static void *receive(void *unused)
{
    MPI_Recv(&received, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, level, main_thread, size;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    int mine[5] = { provided == MPI_THREAD_MULTIPLE, level == provided, main_thread, seen_main, seen_level == provided };
    /* The receive is in another thread, and the send is synchronous. */
    pthread_create(&thread, NULL, receive, NULL);
    int value = 7 * rank + 1;
    MPI_Ssend(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    for (int turn = 0; turn < size; turn++) {
        int all[6] = { mine[0], mine[1], mine[2], mine[3], mine[4], received };
        MPI_Bcast(all, 6, MPI_INT, turn, MPI_COMM_WORLD);
        if (rank == 0)
            printf("rank %d: %d %d %d %d %d, received %d\n", turn, all[0], all[1], all[2], all[3], all[4], all[5]);
    }
    MPI_Finalize();
    return 0;
}
