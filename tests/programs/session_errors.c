/* Error handlers of sessions. */
#include "session.h"

static int calls, last;

static void handler(MPI_Session *session, int *code, ...)
{
    CHECK(*session != MPI_SESSION_NULL);
    calls++;
    MPI_Error_class(*code, &last);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(void)
{
    MPI_Session session;
    MPI_Errhandler own, got;
    int code;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_create_errhandler(handler, &own);
    MPI_Session_set_errhandler(session, own);
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "errors");
    MPI_Comm_rank(comm, &rank);

    MPI_Session_call_errhandler(session, MPI_ERR_TAG);
    say("rank %d: calls %d, tag %d\n", rank, calls, last == MPI_ERR_TAG);
    code = MPI_Session_call_errhandler(session, MPI_ERR_ARG);
    say("rank %d: calls %d, argument %d, code %d\n", rank, calls, last == MPI_ERR_ARG, code);
    MPI_Session_get_errhandler(session, &got);
    CHECK(got == own);
    MPI_Errhandler_free(&got);

    MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
    MPI_Session_get_errhandler(session, &got);
    CHECK(got == MPI_ERRORS_RETURN);
    code = MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    say("rank %d: calls %d, code %d\n", rank, calls, code);
    say("rank %d: class %d\n", rank, class_of(MPI_SUCCESS) == MPI_SUCCESS);
    int result = report(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return result;
}
