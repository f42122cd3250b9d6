/* Master and workers: whoever finishes gets the next task. The master listens to ANY_SOURCE. */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 40, TAG_TASK = 1, TAG_RESULT, TAG_STOP };

/* Length of the Collatz sequence: tasks of uneven cost. */
static int work(int n)
{
    int steps = 0;
    for (long x = n; x != 1; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

static void master(int size, int *results)
{
    int next = 0, busy = 0;
    for (int w = 1; w < size; w++) {
        if (next < TASKS) {
            MPI_Send(&next, 1, MPI_INT, w, TAG_TASK, MPI_COMM_WORLD);
            next++, busy++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, w, TAG_STOP, MPI_COMM_WORLD);
        }
    }
    while (busy > 0) {
        int answer[2];
        MPI_Status status;
        MPI_Recv(answer, 2, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
        results[answer[0]] = answer[1];
        if (next < TASKS) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TAG_TASK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, TAG_STOP, MPI_COMM_WORLD);
            busy--;
        }
    }
}

static void worker(void)
{
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP) return;
        int answer[2] = {task, work(task + 1)};
        MPI_Send(answer, 2, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        worker();
    } else {
        int results[TASKS] = {0};
        if (size > 1) master(size, results);
        else for (int t = 0; t < TASKS; t++) results[t] = work(t + 1);
        for (int t = 0; t < TASKS; t++) {
            right &= results[t] == work(t + 1);
            printf("%d%s", results[t], t % 10 == 9 ? "\n" : " ");
        }
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
