/* Attributes with keys of the program, hints, names and error handlers that live longer than their handles. */
#include "check.h"

static int log_of[8], logged;

static int forget(MPI_Win win, int key, void *value, void *state)
{
    (void)win, (void)key;
    log_of[logged++ % 8] = *(int *)value + *(int *)state;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int a = 1, b = 2, c = 3, state = 10, first, second, found, length;
    int *value;
    char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_INFO_VAL + 1];
    MPI_Win win;
    MPI_Info info, used;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "same_disp_unit", "true");
    int memory[2] = {0, 0};
    MPI_Win_create(memory, sizeof memory, sizeof(int), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &used);
    MPI_Info_get(used, "no_locks", MPI_MAX_INFO_VAL, text, &found);
    say("no_locks: %s\n", found ? text : "-");
    MPI_Info_get(used, "same_disp_unit", MPI_MAX_INFO_VAL, text, &found);
    say("same_disp_unit: %s\n", found ? text : "-");
    MPI_Info_free(&used);

    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &first, &state);
    MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &second, NULL);
    MPI_Win_get_attr(win, first, &value, &found);
    say("found %d\n", found);
    MPI_Win_set_attr(win, first, &a);
    MPI_Win_set_attr(win, second, &c);
    MPI_Win_set_attr(win, first, &b);
    say("deleted %d: %d\n", logged, log_of[0]);
    MPI_Win_get_attr(win, first, &value, &found);
    say("found %d: %d\n", found, *value);
    MPI_Win_delete_attr(win, first);
    say("deleted %d: %d\n", logged, log_of[1]);
    MPI_Win_set_attr(win, first, &c);
    MPI_Win_free_keyval(&first);
    say("invalid %d\n", first == MPI_KEYVAL_INVALID);

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    MPI_Win_set_name(win, name);
    memset(name, 0, sizeof name);
    MPI_Win_get_name(win, name, &length);
    say("name of %d\n", length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length);
    MPI_Win_set_name(win, "");
    MPI_Win_get_name(win, name, &length);
    say("name of %d\n", length);

    MPI_Win_free(&win);
    say("window gone %d, deleted %d: %d\n", win == MPI_WIN_NULL, logged, log_of[2]);
    MPI_Win_free_keyval(&second);
    return finish();
}
