/* Errors that the program wants to be told of. */
#include <mpi.h>
#include <stdio.h>

static void told(MPI_Comm *comm, int *code, ...) {
    int class, rank;
    MPI_Error_class(*code, &class);
    MPI_Comm_rank(*comm, &rank);
    printf("handler %d on rank %d\n", class == MPI_ERR_RANK, rank);
}

static void check(const char *what, int code, int class) {
    printf("%s %d\n", what, code == class);
}

int main(int argc, char **argv) {
    int x[2] = {1, 2};
    MPI_Datatype type;
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check("rank", MPI_Send(x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    check("tag", MPI_Send(x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    check("count", MPI_Send(x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    check("buffer", MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    check("bsend", MPI_Bsend(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    check("comm", MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    check("root", MPI_Bcast(x, 1, MPI_INT, 3, MPI_COMM_WORLD), MPI_ERR_ROOT);
    check("op", MPI_Allreduce(x, &x[1], 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    MPI_Type_contiguous(2, MPI_INT, &type);
    check("type", MPI_Send(x, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MPI_Send(x, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    check("truncate", MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Irecv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Send(x, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
    check("wait", MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Comm_create_errhandler(told, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
