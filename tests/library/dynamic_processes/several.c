/* Two programs started by one call, which start a third; data of all kinds between the worlds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    int rank, size, flag, *number;
    char line[4200], folder[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
    if (parent == MPI_COMM_NULL) {
        char *commands[] = { argv[0], argv[0] }, *ones[] = { "one", NULL }, *twos[] = { "two", "words", NULL };
        char **arguments[] = { ones, twos };
        int counts[] = { 1, 2 }, codes[3] = { -1, -1, -1 }, got[3];
        MPI_Info infos[2];
        MPI_Info_create(&infos[0]);
        MPI_Info_set(infos[0], "wdir", "/");
        infos[1] = MPI_INFO_NULL;
        MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, size - 1, MPI_COMM_WORLD, &inter, codes);
        MPI_Info_free(&infos[0]);
        MPI_Gather(NULL, 0, MPI_INT, got, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        if (rank == 0) {
            sprintf(line, "gathered %d %d %d, codes %d %d %d", got[0], got[1], got[2], codes[0], codes[1], codes[2]);
            say(line);
        }
        MPI_Barrier(inter);
        MPI_Comm_disconnect(&inter);
    } else if (strcmp(argv[1], "grandchild") == 0) {
        int sum;
        MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, parent);
        if (rank == 0) {
            sprintf(line, "grandchild: %d from the other side", sum);
            say(line);
        }
        MPI_Comm_disconnect(&parent);
    } else {
        int mine = 10 * *number + argc, sum;
        MPI_Gather(&mine, 1, MPI_INT, NULL, 0, MPI_INT, 0, parent);
        for (int turn = 0; turn < size; turn++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (turn == rank) {
                sprintf(line, "child %d of %d: program %d, %s, %s", rank, size, *number, argv[1],
                        strcmp(getcwd(folder, sizeof folder), "/") ? "where the parent is" : "at the root");
                say(line);
            }
        }
        char *arguments[] = { "grandchild", NULL };
        MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
        MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, inter);
        if (rank == 0) {
            sprintf(line, "child: %d from the other side", sum);
            say(line);
        }
        MPI_Comm_disconnect(&inter);
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
