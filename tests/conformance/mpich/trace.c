/* Looks into the collectives of MPICH: the steps that record.c notes, as tokens.
 *
 *   s3:64  send of 64 bytes to rank 3     y3:64  the same in synchronous mode     r3:64  receive     w  waits for something
 *
 * All operations are non-blocking here: MPICH makes blocking ones of them and a wait. */

#include <mpi.h>

#include "../calls.h"
#include "record.h"

/* One message between any two ranks, and from each rank to itself. Low ranks send first. */
void trace_start(int rank, int size)
{
    for (int from = 0; from < size; from++) {
        MPI_Request arrival;
        introduce_sender(from);
        MPI_Irecv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, &arrival);
        for (int to = 0; rank == from && to < size; to++) {
            introduce_receiver(to);
            MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
        }
        MPI_Wait(&arrival, MPI_STATUS_IGNORE);
    }
}

void trace_begin(void)
{
    begin_recording();
}

void trace_end(FILE *out)
{
    const struct step *steps;
    size_t count = end_recording(&steps);
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == WAIT)
            fprintf(out, " w");
        else
            fprintf(out, " %c%d:%zu", steps[i].kind, steps[i].peer, steps[i].bytes);
}
