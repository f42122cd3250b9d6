/* What is in buffers of communicators, sessions and MPI itself: rank 1 receives long messages late. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 300000 };

static char data[BYTES];
static int rank;

static int is_full(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_ERR_BUFFER;
}

/* Fills a buffer with room for one message, waits for a request that flushes it, and detaches it while the next message is in it. */
static void fill(const char *what, MPI_Comm comm, int (*iflush)(MPI_Comm, MPI_Request *), int (*detach)(MPI_Comm, void *, int *))
{
    MPI_Request request;
    int done = 1, early, size;
    void *back;
    double begin;
    if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 3, comm, MPI_STATUS_IGNORE);
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 3, comm, MPI_STATUS_IGNORE);
        for (begin = MPI_Wtime(); MPI_Wtime() < begin + 0.05;)
            ;
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
        return;
    }
    int first = is_full(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 0, comm)), second = is_full(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 9, comm));
    iflush(comm, &request);
    MPI_Test(&request, &early, MPI_STATUS_IGNORE);
    int third = is_full(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 9, comm));
    MPI_Send(NULL, 0, MPI_CHAR, 1, 3, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int fourth = is_full(MPI_Bsend(data, BYTES, MPI_CHAR, 1, 0, comm));
    MPI_Send(NULL, 0, MPI_CHAR, 1, 3, comm);
    begin = MPI_Wtime();
    detach(comm, &back, &size);
    done = MPI_Wtime() - begin > 0.04;
    printf("%s: full %d %d %d %d, flushed early %d, detach waited %d\n", what, first, second, third, fourth, early, done);
}

static MPI_Session session;

static int iflush_session(MPI_Comm comm, MPI_Request *request)
{
    (void)comm;
    return MPI_Session_iflush_buffer(session, request);
}

static int detach_session(MPI_Comm comm, void *back, int *size)
{
    (void)comm;
    return MPI_Session_detach_buffer(session, back, size);
}

static int iflush_process(MPI_Comm comm, MPI_Request *request)
{
    (void)comm;
    return MPI_Buffer_iflush(request);
}

static int detach_process(MPI_Comm comm, void *back, int *size)
{
    (void)comm;
    return MPI_Buffer_detach(back, size);
}

int main(int argc, char **argv)
{
    static char room[BYTES + MPI_BSEND_OVERHEAD], others[4 * sizeof room];
    MPI_Comm dup, of_session;
    MPI_Group group;
    void *back;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_attach_buffer(dup, room, sizeof room);
    MPI_Buffer_attach(others, sizeof others);
    fill("communicator", dup, MPI_Comm_iflush_buffer, MPI_Comm_detach_buffer);
    MPI_Buffer_detach(&back, &size);
    MPI_Comm_free(&dup);

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &of_session);
    MPI_Group_free(&group);
    MPI_Session_attach_buffer(session, room, sizeof room);
    fill("session", of_session, iflush_session, detach_session);
    MPI_Comm_free(&of_session);
    MPI_Session_finalize(&session);

    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (rank == 0) {
        MPI_Bsend(data, BYTES, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        MPI_Bsend(data, BYTES, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_flush();
    MPI_Buffer_detach(&back, &size);

    /* The end of MPI sends what is in the buffer. */
    MPI_Buffer_attach(room, sizeof room);
    fill("process", MPI_COMM_WORLD, iflush_process, detach_process);
    MPI_Buffer_attach(room, sizeof room);
    if (rank == 0)
        MPI_Bsend(data, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    else if (argc == 1)
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
