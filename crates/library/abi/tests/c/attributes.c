/* Attributes of communicators and datatypes: who is asked, in which order, with what. */
#include <mpi.h>
#include <stdio.h>

static int numbers[3] = {10, 20, 30};
static int state = 7;

static int copy_comm(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    printf("  copy %d with %d\n", *(int *)value, *(int *)extra);
    (void)comm;
    (void)key;
    *(void **)copy = (int *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    printf("  delete %d with %d\n", *(int *)value, *(int *)extra);
    (void)comm;
    (void)key;
    return MPI_SUCCESS;
}

static int refuse_copy(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)value;
    (void)copy;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static int copy_type(MPI_Datatype type, int key, void *extra, void *value, void *copy, int *flag)
{
    int size;
    MPI_Type_size(type, &size); /* functions of the program may call MPI */
    printf("  copy type of size %d\n", size);
    (void)key;
    (void)extra;
    *(void **)copy = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int key, void *value, void *extra)
{
    int size;
    MPI_Type_size(type, &size);
    printf("  delete type of size %d\n", size);
    (void)key;
    (void)value;
    (void)extra;
    return MPI_SUCCESS;
}

static void show(const char *title, MPI_Comm comm, int key)
{
    int *value, flag;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    if (flag)
        printf("%s %d\n", title, *value);
    else
        printf("%s none\n", title);
}

static void communicators(void)
{
    int key, dup_key, null_key, bad_key, class, freed;
    MPI_Comm comm;

    MPI_Comm_create_keyval(copy_comm, delete_comm, &key, &state);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_comm, &dup_key, &state);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL);
    show("nothing yet:", MPI_COMM_WORLD, key);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &numbers[0]);
    MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, &numbers[2]);
    MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, &numbers[1]);
    show("set:", MPI_COMM_WORLD, key);
    printf("dup\n");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    show("copied:", comm, key);
    show("duplicated:", comm, dup_key);
    show("not copied:", comm, null_key);
    printf("replace\n");
    MPI_Comm_set_attr(comm, key, &numbers[2]);
    printf("free\n");
    MPI_Comm_free(&comm);
    printf("delete\n");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key);
    show("deleted:", MPI_COMM_WORLD, dup_key);
    freed = key;
    MPI_Comm_free_keyval(&freed);
    printf("freed %d\n", freed == MPI_KEYVAL_INVALID);
    MPI_Comm_free_keyval(&dup_key);
    MPI_Comm_free_keyval(&null_key);

    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &bad_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, bad_key, NULL);
    MPI_Error_class(MPI_Comm_dup(MPI_COMM_SELF, &comm), &class);
    printf("refused %d\n", class == MPI_ERR_OTHER);
    MPI_Comm_delete_attr(MPI_COMM_SELF, bad_key);
    MPI_Comm_free_keyval(&bad_key);
    MPI_Error_class(MPI_Comm_set_attr(MPI_COMM_SELF, MPI_KEYVAL_INVALID, NULL), &class);
    printf("invalid %d\n", class == MPI_ERR_KEYVAL);
}

static void datatypes(void)
{
    int key, flag;
    long *value;
    MPI_Datatype type, copy;

    MPI_Type_create_keyval(copy_type, delete_type, &key, NULL);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, (void *)5);
    MPI_Type_dup(type, &copy);
    MPI_Type_get_attr(copy, key, &value, &flag);
    printf("type %d %ld\n", flag, (long)value);
    MPI_Type_delete_attr(type, key);
    MPI_Type_get_attr(type, key, &value, &flag);
    printf("type %d\n", flag);
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
    MPI_Type_free_keyval(&key);
}

static void predefined(void)
{
    int *value, flag;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    printf("tag_ub %d %d\n", flag, *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    printf("host %d %d\n", flag, *value == MPI_PROC_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    printf("io %d %d\n", flag, *value == MPI_ANY_SOURCE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    printf("wtime %d\n", flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    printf("last %d %d\n", flag, *value >= MPI_ERR_LASTCODE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    printf("appnum %d %d\n", flag, *value);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    communicators();
    datatypes();
    predefined();
    MPI_Finalize();
    return 0;
}
