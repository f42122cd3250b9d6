/* Error handlers of the program: called with the communicator and code, inherited by dup, replaced, restored. */
#include "check.h"

static int calls, last_class;
static MPI_Comm last_comm;

static void handle(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int v = 0, code, class, bytes;
    MPI_Errhandler mine, old, got;
    MPI_Comm a, b;
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_create_errhandler(handle, &mine);
    MPI_Comm_get_errhandler(a, &old);
    CHECK(old == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(a, mine);

    code = MPI_Send(&v, 1, MPI_INT, size + 3, 0, a);
    MPI_Error_class(code, &class);
    CHECK(calls == 1 && last_comm == a && last_class == MPI_ERR_RANK && class == MPI_ERR_RANK);
    MPI_Send(&v, -2, MPI_INT, 0, 0, a);
    CHECK(calls == 2 && last_class == MPI_ERR_COUNT);
    say("%d handler called %d times\n", rank, calls);

    MPI_Comm_dup(a, &b);                             /* inherited */
    MPI_Send(&v, 1, MPI_INT, -99, 0, b);
    CHECK(calls == 3 && last_comm == b);
    MPI_Comm_get_errhandler(b, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(b, MPI_ERRORS_RETURN);   /* replaced */
    CHECK(MPI_Send(&v, 1, MPI_INT, -99, 0, b) != MPI_SUCCESS && calls == 3);
    MPI_Comm_set_errhandler(b, mine);
    MPI_Comm_call_errhandler(b, MPI_ERR_OTHER);
    CHECK(calls == 4 && last_class == MPI_ERR_OTHER);
    MPI_Errhandler_free(&mine);                      /* lives on while a communicator uses it */
    CHECK(mine == MPI_ERRHANDLER_NULL);
    MPI_Send(&v, 1, MPI_INT, -99, 0, a);
    CHECK(calls == 5);
    say("%d handler called %d times\n", rank, calls);
    MPI_Comm_free(&a), MPI_Comm_free(&b);

    /* Error classes and codes of the program. */
    int new_class, new_code;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&new_class);
    MPI_Add_error_code(new_class, &new_code);
    MPI_Add_error_string(new_code, "the moon is full");
    MPI_Error_class(new_code, &class);
    MPI_Error_string(new_code, text, &bytes);
    CHECK(class == new_class && new_class > MPI_ERR_LASTCODE && strcmp(text, "the moon is full") == 0);
    say("%d \"%s\"\n", rank, text);
    return finish();
}
