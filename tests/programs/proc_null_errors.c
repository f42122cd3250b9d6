/* Arguments of messages to and from PROC_NULL are checked like those of others: tags, counts, datatypes, buffers. */
#include "check.h"

static const int negative_tags[] = {-5, MPI_ANY_TAG};

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* With a bad tag the call fails; MPI_ANY_TAG is one only for sends. */
#define SEND(call) CHECK(class_of(call) == MPI_ERR_TAG)
#define RECEIVE(call) CHECK(class_of(call) == (tag == MPI_ANY_TAG ? MPI_SUCCESS : MPI_ERR_TAG))

static void blocking(int tag)
{
    int in = 0, out = 0;
    MPI_Status s;
    const int none = MPI_PROC_NULL;
    SEND(MPI_Send(&out, 1, MPI_INT, none, tag, MPI_COMM_WORLD));
    SEND(MPI_Ssend(&out, 1, MPI_INT, none, tag, MPI_COMM_WORLD));
    SEND(MPI_Bsend(&out, 1, MPI_INT, none, tag, MPI_COMM_WORLD));
    SEND(MPI_Rsend(&out, 1, MPI_INT, none, tag, MPI_COMM_WORLD));
    RECEIVE(MPI_Recv(&in, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &s));
    SEND(MPI_Sendrecv(&out, 1, MPI_INT, none, tag, &in, 1, MPI_INT, none, 1, MPI_COMM_WORLD, &s));
    RECEIVE(MPI_Sendrecv(&out, 1, MPI_INT, none, 1, &in, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &s));
    SEND(MPI_Sendrecv_replace(&in, 1, MPI_INT, none, tag, none, 1, MPI_COMM_WORLD, &s));
    RECEIVE(MPI_Sendrecv_replace(&in, 1, MPI_INT, none, 1, none, tag, MPI_COMM_WORLD, &s));
}

static void probes(int tag)
{
    int flag;
    MPI_Status s;
    MPI_Message message;
    RECEIVE(MPI_Probe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, &s));
    RECEIVE(MPI_Iprobe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, &flag, &s));
    RECEIVE(MPI_Mprobe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, &message, &s));
    RECEIVE(MPI_Improbe(MPI_PROC_NULL, tag, MPI_COMM_WORLD, &flag, &message, &s));
}

static void wait_for(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void release(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
}

static void requests(int tag)
{
    int data = 0;
    const int none = MPI_PROC_NULL;
    MPI_Request q = MPI_REQUEST_NULL;
    SEND(MPI_Isend(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Issend(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Ibsend(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Irsend(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    RECEIVE(MPI_Irecv(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    wait_for(&q);
    SEND(MPI_Send_init(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Ssend_init(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Bsend_init(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    SEND(MPI_Rsend_init(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    RECEIVE(MPI_Recv_init(&data, 1, MPI_INT, none, tag, MPI_COMM_WORLD, &q));
    release(&q);
}

/* The other arguments. What has no elements needs neither datatype nor buffer. */
static void data(void)
{
    int word = 0;
    MPI_Status s;
    MPI_Datatype pair;
    const int none = MPI_PROC_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    CHECK(class_of(MPI_Send(&word, -1, MPI_INT, none, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Recv(&word, -1, MPI_INT, none, 1, MPI_COMM_WORLD, &s)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Send(&word, 1, MPI_DATATYPE_NULL, none, 1, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Recv(&word, 1, MPI_DATATYPE_NULL, none, 1, MPI_COMM_WORLD, &s)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Send(&word, 1, pair, none, 1, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Recv(&word, 1, pair, none, 1, MPI_COMM_WORLD, &s)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Send(NULL, 1, MPI_INT, none, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Recv(NULL, 1, MPI_INT, none, 1, MPI_COMM_WORLD, &s)) == MPI_ERR_BUFFER);
    CHECK(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, none, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Recv(NULL, 0, pair, none, 1, MPI_COMM_WORLD, &s) == MPI_SUCCESS);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        blocking(negative_tags[i]);
        probes(negative_tags[i]);
        requests(negative_tags[i]);
    }
    data();
    say("%d checked arguments of messages to nobody\n", rank);
    return finish();
}
