/* What MPI-1 called things, and what Fortran calls them. */
#include <mpi.h>
#include <stdio.h>

static int copied, deleted;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    *(void **)out = value;
    *flag = 1;
    copied++;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void told(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

int main(int argc, char **argv)
{
    int key, flag, x, lengths[2] = {1, 1};
    void *value;
    MPI_Aint places[2] = {0, 8}, extent, lb, ub, address;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type;
    MPI_Errhandler handler, got;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Info info;
    MPI_Op op = MPI_MAXLOC;
    MPI_Status status, back;
    MPI_Fint fortran[16];

    MPI_Init(&argc, &argv);
    MPI_Keyval_create(copy, delete, &key, NULL);
    MPI_Attr_put(MPI_COMM_WORLD, key, &x);
    MPI_Attr_get(MPI_COMM_WORLD, key, &value, &flag);
    printf("attribute %d %d\n", flag, value == &x);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Attr_delete(MPI_COMM_WORLD, key);
    MPI_Comm_free(&comm);
    MPI_Keyval_free(&key);
    printf("copied %d deleted %d\n", copied, deleted);

    MPI_Type_struct(2, lengths, places, types, &type);
    MPI_Type_extent(type, &extent);
    MPI_Type_lb(type, &lb);
    MPI_Type_ub(type, &ub);
    printf("struct %ld %ld %ld\n", (long)extent, (long)lb, (long)ub);
    printf("type %d\n", MPI_Type_f2c(MPI_Type_c2f(type)) == type);
    MPI_Type_free(&type);
    MPI_Type_hvector(2, 1, 16, MPI_INT, &type);
    MPI_Type_extent(type, &extent);
    MPI_Type_free(&type);
    printf("hvector %ld\n", (long)extent);
    MPI_Type_hindexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_extent(type, &extent);
    MPI_Type_free(&type);
    printf("hindexed %ld\n", (long)extent);
    MPI_Address(&x, &address);
    printf("address %d\n", (void *)address == &x);

    MPI_Errhandler_create(told, &handler);
    MPI_Errhandler_set(MPI_COMM_WORLD, handler);
    MPI_Errhandler_get(MPI_COMM_WORLD, &got);
    printf("handler %d %d\n", got == handler, MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Info_create(&info);
    printf("comm %d", MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    printf(" group %d", MPI_Group_f2c(MPI_Group_c2f(group)) == group);
    printf(" info %d", MPI_Info_f2c(MPI_Info_c2f(info)) == info);
    printf(" op %d", MPI_Op_f2c(MPI_Op_c2f(op)) == op);
    printf(" request %d", MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    printf(" win %d\n", MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
    status.MPI_SOURCE = 3;
    status.MPI_TAG = 4;
    status.MPI_ERROR = 5;
    MPI_Status_c2f(&status, fortran);
    MPI_Status_f2c(fortran, &back);
    printf("status %d %d %d\n", back.MPI_SOURCE, back.MPI_TAG, back.MPI_ERROR);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
