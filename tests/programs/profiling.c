/* The profiling interface: the program's own MPI_Send and MPI_Allreduce count and call the PMPI twins. */
#include "check.h"

static int sends, send_bytes, reductions;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    sends++, send_bytes += count * bytes;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in[4], out[4] = {rank};
    for (int i = 1; i <= 4; i++) {
        MPI_Request q;
        MPI_Irecv(in, 4, MPI_INT, previous, i, MPI_COMM_WORLD, &q);
        MPI_Send(out, i, MPI_INT, next, i, MPI_COMM_WORLD);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        CHECK(in[0] == previous);
    }
    CHECK(sends == 4 && send_bytes == 40);
    int sum;
    for (int i = 0; i < 3; i++) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(reductions == 3 && sum == size * (size - 1) / 2);
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    say("%d counted %d sends of %d bytes, %d reductions\n", rank, sends, send_bytes, reductions);
    return finish();
}
