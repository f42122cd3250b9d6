/* A thread sleeps for a simulated second and completes a generalised request, for which the first thread waits, or which it tests. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int released(void *state)
{
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void *complete(void *request)
{
    sleep(1);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

int main(int argc, char **argv)
{
    int level, flag = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Request request, same;
    MPI_Grequest_start(query, released, cancel, NULL, &request);
    same = request;
    double start = MPI_Wtime();
    pthread_t thread;
    pthread_create(&thread, NULL, complete, &same);
    if (!strcmp(argv[1], "wait"))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("%.3f\n", MPI_Wtime() - start);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
