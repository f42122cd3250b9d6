/* Info objects. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void list(MPI_Info info)
{
    int n, i, flag, length, room;
    char key[MPI_MAX_INFO_KEY], value[64];

    MPI_Info_get_nkeys(info, &n);
    for (i = 0; i < n; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &flag);
        room = sizeof value;
        MPI_Info_get_string(info, key, &room, value, &flag);
        printf(" %s=%s (%d, %d)", key, value, length, room);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    char value[32];
    int flag, room, class;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    list(info);
    MPI_Info_set(info, "host", "node7");
    MPI_Info_set(info, "wdir", "/tmp/a b");
    MPI_Info_set(info, "host", "node12");
    list(info);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "host");
    list(info);
    list(copy);
    MPI_Info_get(copy, "wdir", 4, value, &flag);
    printf("get %d %s\n", flag, value);
    MPI_Info_get(copy, "arch", 31, value, &flag);
    printf("get %d\n", flag);
    room = 3;
    MPI_Info_get_string(copy, "host", &room, value, &flag);
    printf("get_string %d %s %d\n", flag, value, room);
    room = 0;
    MPI_Info_get_string(copy, "host", &room, value, &flag);
    printf("get_string %d %d\n", flag, room);
    MPI_Error_class(MPI_Info_delete(info, "host"), &class);
    printf("no such key %d\n", class == MPI_ERR_INFO_NOKEY);
    MPI_Error_class(MPI_Info_set(info, "", "x"), &class);
    printf("empty key %d\n", class == MPI_ERR_INFO_KEY);
    MPI_Error_class(MPI_Info_get_nthkey(info, 5, value), &class);
    printf("no such index %d\n", class == MPI_ERR_ARG);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    printf("freed %d\n", info == MPI_INFO_NULL && copy == MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
