/* What is in an attached buffer takes up room until it has been sent: long messages until they are received, short ones do not stay. */
#include "check.h"

enum { INTS = 100000, SHORT = 25, EXTRA = 4096 };        /* MPICH needs more than the standard says */

static int data[2 * INTS], me;

static const char *class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_SUCCESS ? "sent" : class == MPI_ERR_BUFFER ? "no room" : "?";
}

static void fill(int value)
{
    for (int i = 0; i < 2 * INTS; i++)
        data[i] = value;
}

/* A long message, and whether there was room for it. */
static void bsend(int value, int to)
{
    fill(value);
    say("%d: message %d: %s\n", me, value, class_of(MPI_Bsend(data, INTS, MPI_INT, to, value, MPI_COMM_WORLD)));
    fill(-1);
}

static void receive(int value, int from)
{
    MPI_Recv(data, INTS, MPI_INT, from, value, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < INTS; i++)
        CHECK(data[i] == value);
}

static void sends(int to)
{
    int room = 2 * (INTS * (int)sizeof(int) + MPI_BSEND_OVERHEAD) + EXTRA, bytes, flag;
    char *space = malloc(room), *back;
    MPI_Request request;
    MPI_Datatype every_second;
    say("%d: without a buffer: %s\n", me, class_of(MPI_Bsend(data, 1, MPI_INT, to, 0, MPI_COMM_WORLD)));
    MPI_Buffer_attach(space, room);
    bsend(1, to);
    bsend(2, to);
    bsend(3, to);
    say("%d: ibsend: %s\n", me, class_of(MPI_Ibsend(data, INTS, MPI_INT, to, 4, MPI_COMM_WORLD, &request)));
    MPI_Send(NULL, 0, MPI_INT, to, 100, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, to, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* the first is received */
    MPI_Type_vector(INTS, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    fill(5);
    say("%d: after one was received: %s\n", me, class_of(MPI_Ibsend(data, 1, every_second, to, 5, MPI_COMM_WORLD, &request)));
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    fill(-1);
    say("%d: complete at once: %d\n", me, flag);
    MPI_Type_free(&every_second);
    bsend(6, to);
    MPI_Send(NULL, 0, MPI_INT, to, 102, MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Buffer_detach(&back, &bytes);
    say("%d: detached %d %d, waited %d\n", me, back == space, bytes == room, MPI_Wtime() - begin > 0.01);

    MPI_Buffer_attach(space, SHORT * (int)sizeof(int) + MPI_BSEND_OVERHEAD + EXTRA / 8);
    for (int i = 0; i < 30; i++)
        CHECK(MPI_Bsend(data, SHORT, MPI_INT, to, 200 + i, MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Buffer_detach(&back, &bytes);
    MPI_Send(NULL, 0, MPI_INT, to, 103, MPI_COMM_WORLD);

    MPI_Buffer_attach(space, room / 2);
    fill(7);
    MPI_Bsend_init(data, INTS, MPI_INT, to, 7, MPI_COMM_WORLD, &request);
    say("%d: started: %s\n", me, class_of(MPI_Start(&request)));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("%d: started again: %s\n", me, class_of(MPI_Bsend(data, INTS, MPI_INT, to, 8, MPI_COMM_WORLD)));
    MPI_Request_free(&request);
    MPI_Buffer_detach(&back, &bytes);
    free(space);
}

static void receives(int from)
{
    MPI_Recv(NULL, 0, MPI_INT, from, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive(1, from);
    MPI_Send(NULL, 0, MPI_INT, from, 101, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, from, 102, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 0.05;)
        ;
    receive(2, from);
    receive(5, from);
    MPI_Recv(NULL, 0, MPI_INT, from, 103, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 30; i++)
        MPI_Recv(data, SHORT, MPI_INT, from, 200 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 0.05;)
        ;
    receive(7, from);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    me = rank;
    if (rank % 2)
        receives(rank - 1);
    else if (rank + 1 < size)
        sends(rank + 1);
    return finish();
}
