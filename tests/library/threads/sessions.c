/* Threads open sessions at the same time, and make communicators that are told apart by their tags. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4 };

static void *use(void *number)
{
    int own = *(int *)number, size, one = 1, sum, found;
    long wrong = 0;
    char tag[20], level[64];
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_info(session, &info);
    MPI_Info_get(info, "thread_level", sizeof level - 1, level, &found);
    wrong += !found || strcmp(level, "MPI_THREAD_MULTIPLE") != 0;
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, own % 2 ? "mpi://WORLD" : "mpi://SELF", &group);
    sprintf(tag, "thread %d", own);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    wrong += sum != size;
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return (void *)wrong;
}

int main(int argc, char **argv)
{
    int level, rank, wrong = 0, all, numbers[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, use, &numbers[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += (long)result;
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d mistakes\n", all);
    MPI_Finalize();
    return 0;
}
