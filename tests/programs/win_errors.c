/* The classes of errors in calls of windows. */
#include "check.h"

static MPI_Win win;

static void tell(const char *what, int code)
{
    static const struct { int class; const char *name; } known[] = {
        {MPI_SUCCESS, "SUCCESS"}, {MPI_ERR_RMA_SYNC, "RMA_SYNC"}, {MPI_ERR_RANK, "RANK"}, {MPI_ERR_COUNT, "COUNT"},
        {MPI_ERR_TYPE, "TYPE"}, {MPI_ERR_OP, "OP"}, {MPI_ERR_LOCKTYPE, "LOCKTYPE"}, {MPI_ERR_WIN, "WIN"},
        {MPI_ERR_RMA_FLAVOR, "RMA_FLAVOR"}, {MPI_ERR_SIZE, "SIZE"}, {MPI_ERR_DISP, "DISP"}, {MPI_ERR_ARG, "ARG"},
        {MPI_ERR_KEYVAL, "KEYVAL"}, {MPI_ERR_GROUP, "GROUP"}, {MPI_ERR_ASSERT, "ASSERT"}, {MPI_ERR_BASE, "BASE"},
        {MPI_ERR_COMM, "COMM"}, {MPI_ERR_OTHER, "OTHER"}, {MPI_ERR_RMA_RANGE, "RMA_RANGE"},
        {MPI_ERR_RMA_CONFLICT, "RMA_CONFLICT"}, {MPI_ERR_BUFFER, "BUFFER"}};
    int class, i, n = sizeof known / sizeof known[0];
    MPI_Error_class(code, &class);
    for (i = 0; i < n && known[i].class != class; i++)
        ;
    say("%s: %s\n", what, i < n ? known[i].name : "?");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int memory[4] = {0}, value = 1, flag;
    void *attribute;
    MPI_Win none = MPI_WIN_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);

    tell("get without an epoch", MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    tell("accumulate without an epoch", MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    tell("flush without a lock", MPI_Win_flush(0, win));
    tell("flush_all without a lock", MPI_Win_flush_all(win));
    tell("unlock_all without a lock", MPI_Win_unlock_all(win));
    tell("test without post", MPI_Win_test(win, &flag));
    tell("lock of nobody's rank", MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
    MPI_Win_lock_all(0, win);
    tell("lock_all twice", MPI_Win_lock_all(0, win));
    tell("lock after lock_all", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    tell("a rank too high", MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win));
    tell("a negative count", MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
    tell("a negative count at the target", MPI_Get(&value, 1, MPI_INT, 0, 0, -1, MPI_INT, win));
    tell("a negative displacement", MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win));
    tell("a negative displacement, and no bytes", MPI_Get(&value, 0, MPI_INT, 0, -1, 0, MPI_INT, win));
    tell("a negative displacement at no rank", MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, win));
    tell("a negative displacement at a rank too high", MPI_Put(&value, 1, MPI_INT, size, -1, 1, MPI_INT, win));
    tell("no datatype", MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
    tell("no operator", MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
    tell("no window", MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, none));
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    tell("attach to a window with memory", MPI_Win_attach(win, memory, 4));
    tell("no key", MPI_Win_get_attr(win, MPI_KEYVAL_INVALID, &attribute, &flag));
    tell("no group", MPI_Win_post(MPI_GROUP_NULL, 0, win));
    tell("free of no window", MPI_Win_free(&none));
    tell("negative size", MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &none));
    tell("unit of zero", MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_SELF, &none));
    tell("no communicator", MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &none));
    MPI_Win_free(&win);
    return finish();
}
