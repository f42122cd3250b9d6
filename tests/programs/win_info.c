/* Hints of windows: their defaults, hints at creation, changed hints, hints that are ignored. */
#include "check.h"

static const char *keys[] = {"no_locks", "accumulate_ordering", "accumulate_ops", "same_size", "same_disp_unit"};

static void show(const char *what, MPI_Win win)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int found;
    MPI_Info used;
    MPI_Win_get_info(win, &used);
    say("%s:", what);
    for (int i = 0; i < 5; i++) {
        MPI_Info_get(used, keys[i], MPI_MAX_INFO_VAL, text, &found);
        say(" %s=%s", keys[i], found ? text : "-");
    }
    MPI_Info_get(used, "no_hint_of_mpi", MPI_MAX_INFO_VAL, text, &found);
    say(" %d\n", found);
    MPI_Info_free(&used);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int memory[2] = {0, 0}, *own;
    MPI_Win win;
    MPI_Info info;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    show("create", win);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "rar,waw");
    MPI_Win_set_info(win, info);
    show("ordering", win);
    MPI_Info_set(info, "accumulate_ordering", "rar,raw,war,waw");
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "no_hint_of_mpi", "7");
    MPI_Win_set_info(win, info);
    show("same size", win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_Win_create(memory, sizeof memory, sizeof(int), info, MPI_COMM_WORLD, &win);
    show("no locks", win);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    show("allocate", win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    show("dynamic", win);
    MPI_Win_free(&win);
    return finish();
}
