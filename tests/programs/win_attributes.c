/* What windows tell: attributes, names, groups, error handlers and errors. */
#include "check.h"

static int deleted, handled;

static int forget(MPI_Win win, int key, void *value, void *state)
{
    (void)win, (void)key, (void)state;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void handle(MPI_Win *win, int *code, ...)
{
    int class;
    (void)win;
    MPI_Error_class(*code, &class);
    handled += class == MPI_ERR_RANK;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    double memory[4] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    void *base;
    MPI_Aint *bytes;
    int *unit, *flavor, *model, found, key, number = 3, length;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found);
    CHECK(found && base == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &found);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &found);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
    CHECK(*flavor == MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
    CHECK(*model == MPI_WIN_UNIFIED);
    say("rank %d: %ld bytes, unit %d\n", rank, (long)*bytes, *unit);

    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win_get_name(win, name, &length);
    say("name '%s' of %d\n", name, length);
    MPI_Win_set_name(win, "a window");
    MPI_Win_get_name(win, name, &length);
    say("name '%s' of %d\n", name, length);

    MPI_Group group;
    MPI_Win_get_group(win, &group);
    int members, me;
    MPI_Group_size(group, &members);
    MPI_Group_rank(group, &me);
    CHECK(members == size && me == rank);
    MPI_Group_free(&group);

    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &key, NULL);
    MPI_Win_set_attr(win, key, &number);
    int *value;
    MPI_Win_get_attr(win, key, &value, &found);
    CHECK(found && value == &number);
    MPI_Win_free_keyval(&key);

    /* Errors go to the window's handler. */
    MPI_Errhandler handler, before;
    MPI_Win_get_errhandler(win, &before);
    CHECK(before == MPI_ERRORS_ARE_FATAL);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    double one = 1;
    say("no epoch: %d\n", class_of(MPI_Put(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win)) == MPI_ERR_RMA_SYNC);
    say("unlock: %d\n", class_of(MPI_Win_unlock(0, win)) == MPI_ERR_RMA_SYNC);
    say("complete: %d\n", class_of(MPI_Win_complete(win)) == MPI_ERR_RMA_SYNC);
    say("wait: %d\n", class_of(MPI_Win_wait(win)) == MPI_ERR_RMA_SYNC);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    say("twice: %d\n", class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)) == MPI_ERR_RMA_SYNC);
    MPI_Win_unlock(0, win);
    MPI_Win_create_errhandler(handle, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_DOUBLE, size, 0, 1, MPI_DOUBLE, win);
    MPI_Put(&one, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    say("handled %d\n", handled);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
    say("deleted %d\n", deleted);
    return finish();
}
