/* A thread waits outside MPI for something that no thread does, and the main thread waits for it. The argument says for what. With
 * `flush`, `request` and `lock` the other rank accesses the window of the waiting one meanwhile. */
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *what;

static int child(int output)
{
    int pid = fork();
    if (pid == 0) {
        if (output >= 0) dup2(output, 1);
        execlp("sh", "sh", "-c", "sleep 0.3; echo done", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void *wait_outside(void *unused)
{
    int ends[2], status = 0;
    char byte = 0;
    struct timespec soon;
    sem_t never;
    if (strcmp(what, "child") == 0) {
        waitpid(child(2), &status, 0);
    } else if (strcmp(what, "pipe") == 0) {
        if (pipe(ends)) return NULL;
        int pid = child(ends[1]);
        close(ends[1]);
        while (read(ends[0], &byte, 1) == 1) {}
        waitpid(pid, &status, 0);
    } else if (strcmp(what, "poll") == 0) {
        if (pipe(ends)) return NULL;
        poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 200);
    } else if (strcmp(what, "time") == 0) {
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec = (soon.tv_nsec + 200000000) % 1000000000;
        soon.tv_sec += soon.tv_nsec < 200000000;
        sem_init(&never, 0, 0);
        sem_timedwait(&never, &soon);
    } else {
        sem_init(&never, 0, 0);
        sem_wait(&never);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread;
    what = argv[argc - 1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int memory = 0;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        pthread_create(&thread, NULL, wait_outside, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(what, "flush") == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win); /* flush */
    } else if (strcmp(what, "request") == 0) {
        MPI_Request request;
        MPI_Rput(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* request */
    } else if (strcmp(what, "lock") == 0) {
        MPI_Win_unlock_all(win);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); /* lock */
        MPI_Win_unlock(0, win);
        MPI_Win_lock_all(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s\n", what);
    MPI_Finalize();
    return 0;
}
