#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Comm parent, inter, all;
    int rank, size, remote, *universe, flag, codes[3], sum, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (parent == MPI_COMM_NULL) {
        char *args[] = { "child", "two words", NULL };
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
        MPI_Comm_spawn(argv[0], args, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
        MPI_Comm_remote_size(inter, &remote);
        if (rank == 0) {
            printf("parent of %d, codes %d %d %d\n", remote, codes[0], codes[1], codes[2]);
            fflush(stdout);
            value = 42;
            for (int i = 0; i < 3; i++) MPI_Send(&value, 1, MPI_INT, i, 7, inter);
        }
        MPI_Intercomm_merge(inter, 0, &all);
    } else {
        char name[MPI_MAX_OBJECT_NAME]; int length;
        MPI_Comm_get_name(parent, name, &length);
        MPI_Comm_remote_size(parent, &remote);
        MPI_Recv(&value, 1, MPI_INT, 0, 7, parent, MPI_STATUS_IGNORE);
        if (rank == 2) { printf("child %d of %d (%s, %s) has %s with %d, got %d\n", rank, size, argv[1], argv[2], name, remote, value); fflush(stdout); }
        MPI_Intercomm_merge(parent, 1, &all);
    }
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    if (rank == size - 1) { printf("last of %d: sum %d\n", size, sum); fflush(stdout);}
    MPI_Comm_free(&all);
    if (parent == MPI_COMM_NULL) MPI_Comm_disconnect(&inter); else MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}
