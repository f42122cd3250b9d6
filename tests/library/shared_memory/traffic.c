/* All kinds of communication with shared buffers; with -DPRIVATE the same with memory of its own. What is sent from or to
 * shared memory is not copied: a private buffer that a shared one is sent to stays as it is. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PRIVATE
#define ALLOCATE(bytes) calloc(1, bytes)
#else
#define ALLOCATE(bytes) SMPI_SHARED_MALLOC(bytes)
#endif

#define EACH 30000

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *a = ALLOCATE(sizeof(int) * EACH * size);
    int *b = ALLOCATE(sizeof(int) * EACH * size);
    int *own = malloc(sizeof(int) * EACH * size), next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int i = 0; i < EACH * size; i++) own[i] = rank + 100;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Status status;
    MPI_Request requests[4];
    MPI_Op op;
    MPI_Datatype column;
    int counts[64], places[64], got;

    for (int count = 1; count <= EACH; count = count * 16 + 7) {
        MPI_Sendrecv(a, count, MPI_INT, next, 0, b, EACH, MPI_INT, last, 0, world, &status);
        MPI_Get_count(&status, MPI_INT, &got);
        if (got != count) printf("%d got %d of %d\n", rank, got, count);
    }
    MPI_Isend(a, EACH, MPI_INT, next, 1, world, &requests[0]);
    MPI_Irecv(b, EACH, MPI_INT, last, 1, world, &requests[1]);
    MPI_Issend(a, 10, MPI_INT, next, 2, world, &requests[2]);
    MPI_Irecv(b, 10, MPI_INT, last, 2, world, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Type_vector(100, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(a, 50, column, next, 3, b, 50, column, last, 3, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv(own, 50, column, next, 3, b, 50, column, last, 3, world, MPI_STATUS_IGNORE);

    for (int k = 0; k < size; k++) counts[k] = 100 * k + 1, places[k] = EACH * k;
    MPI_Bcast(a, EACH, MPI_INT, 0, world);
    MPI_Scatter(a, EACH, MPI_INT, b, EACH, MPI_INT, 0, world);
    MPI_Scatterv(a, counts, places, MPI_INT, b, EACH, MPI_INT, 0, world);
    MPI_Gather(a, EACH, MPI_INT, b, EACH, MPI_INT, 0, world);
    MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, 0, world);
    MPI_Allgather(a, EACH, MPI_INT, b, EACH, MPI_INT, world);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, places, MPI_INT, world);
    MPI_Alltoall(a, EACH, MPI_INT, b, EACH, MPI_INT, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, b, EACH, MPI_INT, world);
    MPI_Reduce(a, b, EACH, MPI_INT, MPI_SUM, 0, world);
    MPI_Allreduce(a, b, EACH, MPI_INT, MPI_SUM, world);
    MPI_Allreduce(MPI_IN_PLACE, b, EACH, MPI_INT, MPI_MAX, world);
    MPI_Reduce_scatter_block(a, b, EACH, MPI_INT, MPI_SUM, world);
    MPI_Scan(a, b, EACH, MPI_INT, MPI_SUM, world);
    MPI_Exscan(a, b, EACH, MPI_INT, MPI_SUM, world);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(a, b, 1000, MPI_INT, op, world);
    /* Some ranks give from shared memory, some from their own. */
    MPI_Allreduce(rank % 2 ? own : a, b, 1000, MPI_INT, op, world);
    MPI_Scan(rank % 2 ? own : a, b, 1000, MPI_INT, MPI_SUM, world);
    MPI_Gather(rank % 2 ? own : a, 1000, MPI_INT, b, 1000, MPI_INT, 0, world);

    MPI_Sendrecv(a, EACH, MPI_INT, next, 4, own, EACH, MPI_INT, last, 4, world, MPI_STATUS_IGNORE);
    int small = rank, sum;
    MPI_Allreduce(&small, &sum, 1, MPI_INT, MPI_SUM, world);
    if (rank == 0) printf("own %d sum %d\n", own[0], sum);
    MPI_Type_free(&column);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
