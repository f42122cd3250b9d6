/* A thread answers requests of other ranks while the main thread computes and asks; it is created and ended several times. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ASK = 1, ANSWER = 2, PHASES = 3, QUESTIONS = 5 };

static int rank, size;

static void *answer(void *unused)
{
    for (int stops = 0; stops < size;) {
        int question;
        MPI_Status status;
        MPI_Recv(&question, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        if (question < 0) {
            stops++;
            continue;
        }
        int reply = 2 * question + rank;
        MPI_Send(&reply, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, stop = -1;
    long sum = 0, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int phase = 0; phase < PHASES; phase++) {
        pthread_t server;
        pthread_create(&server, NULL, answer, NULL);
        for (int i = 0; i < QUESTIONS; i++) {
            int question = 10 * phase + i, reply, to = (rank + i) % size;
            MPI_Send(&question, 1, MPI_INT, to, ASK, MPI_COMM_WORLD);
            MPI_Recv(&reply, 1, MPI_INT, to, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += reply;
        }
        for (int to = 0; to < size; to++)
            MPI_Send(&stop, 1, MPI_INT, to, ASK, MPI_COMM_WORLD);
        pthread_join(server, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %ld\n", all);
    MPI_Finalize();
    return 0;
}
