/* Old and new ways to use mpi.h; compiled as every dialect of C and C++, never run. */
#include <mpi.h>

#if MPI_VERSION < 3
#error "a preprocessor must be able to read the version"
#endif

#ifndef MPI_THREAD_MULTIPLE
#error "programs ask for constants with #ifdef"
#endif

static void sum(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)in;
    (void)inout;
    (void)length;
    (void)datatype;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static int describe(int code)
{
    switch (code) {
    case MPI_SUCCESS:
    case MPI_ERR_TRUNCATE:
    case MPI_UNDEFINED:
        return 1;
    default:
        return 0;
    }
}

int main(int argc, char **argv)
{
    static const int counts[2] = {1, 2};
    static MPI_Comm everybody = MPI_COMM_WORLD;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, flag, keyval, rank = 0;
    int ranges[1][3] = {{0, 1, 1}};
    void *value;
    double x = 0;
    MPI_Op op;
    MPI_Group group = MPI_GROUP_EMPTY;
    MPI_Aint address;
    MPI_Errhandler handler;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Get_processor_name(name, &length);
    MPI_Op_create(sum, 1, &op);
    MPI_Group_range_incl(group, 1, ranges, &group);
    MPI_Address(&x, &address);
    MPI_Errhandler_create(on_error, &handler);
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, (void *)0);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, (void *)0);
    MPI_Attr_get(everybody, MPI_TAG_UB, &value, &flag);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, &x, counts, counts, MPI_DOUBLE, everybody);
    PMPI_Recv(MPI_BOTTOM, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Comm_f2c(MPI_Comm_c2f(everybody)), &status);
    MPI_Pcontrol(1, "phase", x);
    rank = describe(status.MPI_ERROR);
    return MPI_Finalize() + rank;
}
