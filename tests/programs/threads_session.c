#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static MPI_Session session;
static void *work(void *unused)
{
    MPI_Group group; MPI_Comm comm; int rank, sum;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "t", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (!rank) printf("sum %d\n", sum);
    MPI_Comm_free(&comm); MPI_Group_free(&group);
    return unused;
}
int main(void)
{
    MPI_Info info; pthread_t thread;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    MPI_Session_finalize(&session);
    return 0;
}
