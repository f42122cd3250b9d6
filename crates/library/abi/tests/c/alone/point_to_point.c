/* Messages of a rank to itself, in every mode and with every kind of completion. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void modes(void) {
    int in[4] = {0}, out[4] = {1, 2, 3, 4}, size;
    char *buffer = malloc(4096);
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Buffer_attach(buffer, 4096);
    MPI_Irecv(&in[3], 1, MPI_INT, 0, 13, MPI_COMM_WORLD, &requests[3]);
    MPI_Irecv(&in[2], 1, MPI_INT, 0, 12, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&out[0], 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
    MPI_Bsend(&out[1], 1, MPI_INT, 0, 11, MPI_COMM_WORLD);
    MPI_Ssend(&out[2], 1, MPI_INT, 0, 12, MPI_COMM_WORLD);
    MPI_Rsend(&out[3], 1, MPI_INT, 0, 13, MPI_COMM_WORLD);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&in[0], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; i++)
        printf("%d from %d tag %d null %d\n", in[i], statuses[i].MPI_SOURCE, statuses[i].MPI_TAG,
               requests[i] == MPI_REQUEST_NULL);
    void *detached;
    MPI_Buffer_detach(&detached, &size);
    printf("detached %d %d\n", detached == buffer, size);
    free(buffer);
}

static void columns(void) {
    int matrix[3][4], column[3], count, elements;
    MPI_Datatype type;
    MPI_Status status;
    for (int i = 0; i < 12; i++) matrix[i / 4][i % 4] = i;
    MPI_Type_vector(3, 1, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(&matrix[0][1], 1, type, 0, 1, column, 3, MPI_INT, 0, 1, MPI_COMM_SELF, &status);
    printf("column %d %d %d\n", column[0], column[1], column[2]);
    MPI_Send(column, 2, MPI_INT, 0, 2, MPI_COMM_SELF);
    MPI_Recv(&matrix[0][3], 1, type, 0, 2, MPI_COMM_SELF, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    printf("%d %d %d undefined %d elements %d\n", matrix[0][3], matrix[1][3], matrix[2][3],
           count == MPI_UNDEFINED, elements);
    MPI_Sendrecv_replace(&matrix[0][0], 1, type, 0, 3, 0, 3, MPI_COMM_SELF, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf("replaced %d %d %d count %d\n", matrix[0][0], matrix[1][0], matrix[2][0], count);
    MPI_Type_free(&type);
}

static void completions(void) {
    int in = 0, out = 7, flag, index, outcount, indices[3];
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[3];
    MPI_Waitany(3, requests, &index, &status);
    printf("none %d source %d\n", index == MPI_UNDEFINED, status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Testany(3, requests, &index, &flag, &status);
    printf("none %d flag %d\n", index == MPI_UNDEFINED, flag);
    MPI_Waitsome(3, requests, &outcount, indices, statuses);
    printf("none %d\n", outcount == MPI_UNDEFINED);
    MPI_Irecv(&in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[2]);
    MPI_Test(&requests[2], &flag, &status);
    printf("early %d\n", flag);
    MPI_Testall(3, requests, &flag, statuses);
    printf("early %d\n", flag);
    MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Request_get_status(requests[2], &flag, &status);
    printf("peeked %d tag %d\n", flag, status.MPI_TAG);
    MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Waitsome(3, requests, &outcount, indices, statuses);
    printf("some %d: %d %d, in %d\n", outcount, indices[0], indices[1], in);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    printf("nobody %d %d\n", status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(&in, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    printf("cancelled %d\n", flag);
}

static void persistent(void) {
    int in = 0, out = 0, flag;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Send_init(&out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], &status);
    for (out = 1; out <= 3; out++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        printf("round %d\n", in);
    }
    MPI_Test(&requests[0], &flag, &status);
    printf("inactive %d\n", flag);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    printf("freed %d\n", requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

static void probes(void) {
    int in = 0, out = 42, flag, count;
    MPI_Message message;
    MPI_Status status;
    MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, &status);
    printf("probed %d\n", flag);
    MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf("probed %d of %d with %d\n", count, status.MPI_SOURCE, status.MPI_TAG);
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, &status);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    printf("matched %d gone %d null %d\n", in, !flag, message == MPI_MESSAGE_NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    modes();
    columns();
    completions();
    persistent();
    probes();
    MPI_Finalize();
    return 0;
}
