/* Calls, from C, whatever function it is given as if that were MPI_Sendrecv. */
#include <mpi.h>

typedef int Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Status *);

int call_sendrecv(Sendrecv *sendrecv, const void *sent, void *received, MPI_Status *status)
{
    int code = sendrecv(sent, -2, MPI_INT, -4, -5, received, -7, MPI_DOUBLE, -9, -10, MPI_COMM_SELF, status);
    return code + 1;
}
