/* Error codes, error handlers, and the errors of datatype functions. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void told(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    printf("  told of %s\n", class == MPI_ERR_COUNT ? "a count" : class == MPI_ERR_TYPE ? "a datatype" : "something");
    (void)comm;
}

static void codes(void)
{
    int class, code, length, other;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    printf("%s (%d)\n", text, length);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    printf("added %d %d\n", class > MPI_ERR_LASTCODE, code != class);
    MPI_Add_error_string(class, "a class of ours");
    MPI_Add_error_string(code, "a code of ours");
    MPI_Error_class(code, &other);
    MPI_Error_string(code, text, &length);
    printf("%d %s (%d)\n", other == class, text, length);
    MPI_Error_string(class, text, &length);
    printf("%s (%d)\n", text, length);
}

static void handlers(void)
{
    MPI_Errhandler handler, got, before;
    MPI_Datatype type;
    int same;

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    printf("fatal %d\n", before == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(told, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    same = got == handler;
    MPI_Errhandler_free(&handler);
    printf("same %d, freed %d\n", same, handler == MPI_ERRHANDLER_NULL);
    MPI_Type_contiguous(-1, MPI_INT, &type);
    MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type);
    printf("returned %d\n", MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static const char *name(int code)
{
    int class;
    if (code == MPI_SUCCESS)
        return "fine";
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_COUNT) return "count";
    if (class == MPI_ERR_TYPE) return "type";
    if (class == MPI_ERR_ARG) return "arg";
    if (class == MPI_ERR_OP) return "op";
    if (class == MPI_ERR_DIMS) return "dims";
    if (class == MPI_ERR_COMM) return "comm";
    if (class == MPI_ERR_TOPOLOGY) return "topology";
    if (class == MPI_ERR_GROUP) return "group";
    return "other";
}

static void mistakes(void)
{
    MPI_Datatype type, predefined = MPI_INT;
    MPI_Op op = MPI_SUM;
    MPI_Comm comm;
    int sizes[1] = {4}, starts[1] = {0}, lengths[1] = {-1}, places[1] = {0}, dims[2] = {2, 3};
    int size, periods[2] = {0, 0};

    printf("vector %s\n", name(MPI_Type_vector(-3, 1, 1, MPI_INT, &type)));
    printf("blocklength %s\n", name(MPI_Type_vector(3, -1, 1, MPI_INT, &type)));
    printf("indexed %s\n", name(MPI_Type_indexed(1, lengths, places, MPI_INT, &type)));
    printf("order %s\n", name(MPI_Type_create_subarray(1, sizes, sizes, starts, 77, MPI_INT, &type)));
    printf("predefined %s\n", name(MPI_Type_free(&predefined)));
    printf("null %s\n", name(MPI_Type_size(MPI_DATATYPE_NULL, &size)));
    printf("op %s\n", name(MPI_Op_free(&op)));
    printf("dims %s\n", name(MPI_Dims_create(7, 2, dims)));
    printf("grid %s\n", name(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm)));
    printf("comm %s\n", name(MPI_Topo_test(MPI_COMM_NULL, &size)));
    printf("group %s\n", name(MPI_Group_size(MPI_GROUP_NULL, &size)));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    codes();
    handlers();
    mistakes();
    MPI_Finalize();
    return 0;
}
