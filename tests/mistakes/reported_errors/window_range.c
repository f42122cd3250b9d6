/* Accesses outside a window: MPI_ERR_RMA_RANGE for the window's error handler, and the window can be used afterwards.
   The memory of rank r has r + 4 integers. With an argument the default handler is left in place. */
#include <mpi.h>
#include <stdio.h>

static int handled, class;
static MPI_Win win;

static void count(MPI_Win *where, int *code, ...)
{
    (void)where;
    MPI_Error_class(*code, &class);
    handled += class == MPI_ERR_RMA_RANGE;
}

static void tell(const char *what, int code)
{
    MPI_Error_class(code, &class);
    printf("%s: %s\n", what, class == MPI_SUCCESS ? "success" : class == MPI_ERR_RMA_RANGE ? "range" : class == MPI_ERR_DISP ? "displacement" : "?");
}

static void access_all(int target, int last)
{
    int one = 1, other = 0, result, pair[2] = {1, 1};
    MPI_Datatype ends;
    MPI_Request request;
    tell("put of the last", MPI_Put(&one, 1, MPI_INT, target, last, 1, MPI_INT, win));
    tell("put behind it", MPI_Put(&one, 1, MPI_INT, target, last + 1, 1, MPI_INT, win));
    tell("get of two", MPI_Get(pair, 2, MPI_INT, target, last, 2, MPI_INT, win));
    tell("get before the first", MPI_Get(&one, 1, MPI_INT, target, -1, 1, MPI_INT, win));
    tell("accumulate", MPI_Accumulate(&one, 1, MPI_INT, target, last + 1, 1, MPI_INT, MPI_SUM, win));
    tell("get_accumulate", MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, target, last + 1, 1, MPI_INT, MPI_SUM, win));
    tell("fetch_and_op", MPI_Fetch_and_op(&one, &result, MPI_INT, target, last + 1, MPI_SUM, win));
    tell("compare_and_swap", MPI_Compare_and_swap(&one, &other, &result, MPI_INT, target, last + 1, win));
    tell("far away", MPI_Put(&one, 1, MPI_INT, target, (MPI_Aint)1 << 40, 1, MPI_INT, win));
    tell("nothing far away", MPI_Put(&one, 0, MPI_INT, target, 1000, 0, MPI_INT, win));
    MPI_Type_vector(2, 1, last, MPI_INT, &ends);
    MPI_Type_commit(&ends);
    tell("first and last", MPI_Put(pair, 2, MPI_INT, target, 0, 1, ends, win));
    tell("second and one behind", MPI_Put(pair, 2, MPI_INT, target, 1, 1, ends, win));
    MPI_Type_free(&ends);
    request = MPI_REQUEST_NULL;
    tell("rput", MPI_Rput(&one, 1, MPI_INT, target, last + 1, 1, MPI_INT, win, &request));
    tell("nobody", MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, win));
}

int main(int argc, char **argv)
{
    static int memory[100];
    int rank, size;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(memory, (rank + 4) * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (argc == 1)
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        access_all(size - 1, size + 2);
        MPI_Win_create_errhandler(count, &handler);
        MPI_Win_set_errhandler(win, handler);
        access_all(0, 3);
        printf("%d calls of the handler\n", handled);
        MPI_Errhandler_free(&handler);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        printf("first %d, last %d\n", memory[0], memory[rank + 3]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
