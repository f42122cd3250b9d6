/* overlap.c: ranks exchange a block with both neighbours and compute; is the message under way while they compute? */
#include <mpi.h>
#include <smpi/smpi.h> /* smpi_execute_flops: declared computation, which takes as long on every student's machine */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, BYTES = 1 << 20, OPERATIONS = 2000000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int first = argc > 1 && !strcmp(argv[1], "first"); /* compute first, then wait for the messages */
    int polls = argc > 2 ? atoi(argv[2]) : 0;          /* how often to look at the messages while computing */
    char *out = calloc(BYTES, 1), *in = calloc(BYTES, 1);
    double began = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        MPI_Request both[2];
        MPI_Irecv(in, BYTES, MPI_BYTE, left, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, right, 0, MPI_COMM_WORLD, &both[1]);
        if (!first)
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        for (int part = 0; part <= polls; part++) {
            int done;
            smpi_execute_flops((double)OPERATIONS / (polls + 1));
            if (first && part < polls)
                MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
        }
        if (first)
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    if (rank == 0)
        printf("%.3f ms\n", (MPI_Wtime() - began) * 1e3);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
