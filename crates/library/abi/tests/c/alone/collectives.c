/* Collectives of one rank are copies, whatever the datatypes. */
#include <mpi.h>
#include <stdio.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    int in[4] = {1, 2, 3, 4}, out[8] = {0}, one = 1, zero = 0, two = 2;
    MPI_Datatype strided;
    MPI_Op sum;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Op_create(add, 1, &sum);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(in, 2, MPI_INT, out, 1, strided, 0, MPI_COMM_WORLD);
    printf("gather %d %d %d\n", out[0], out[1], out[2]);
    MPI_Gatherv(in, 1, MPI_INT, out, &one, &two, MPI_INT, 0, MPI_COMM_WORLD);
    printf("gatherv %d\n", out[2]);
    MPI_Scatter(in, 4, MPI_INT, out, 4, MPI_INT, 0, MPI_COMM_WORLD);
    printf("scatter %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    MPI_Scatterv(in, &one, &two, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("scatterv %d\n", out[0]);
    MPI_Scatter(in, 4, MPI_INT, MPI_IN_PLACE, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(in, 2, MPI_INT, out, &two, &one, MPI_INT, MPI_COMM_WORLD);
    printf("allgatherv %d %d\n", out[1], out[2]);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(in, &two, &one, MPI_INT, &out[4], &two, &zero, MPI_INT, MPI_COMM_WORLD);
    printf("alltoallv %d %d\n", out[4], out[5]);
    int bytes = 8;
    MPI_Datatype type = MPI_INT;
    MPI_Alltoallw(in, &two, &zero, &type, out, &two, &bytes, &type, MPI_COMM_WORLD);
    printf("alltoallw %d %d\n", out[2], out[3]);
    MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 1, strided, sum, MPI_COMM_WORLD);
    printf("allreduce %d %d %d\n", out[0], out[1], out[2]);
    MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Scan(in, out, 2, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    out[0] = -1;
    MPI_Exscan(in, out, 2, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    printf("exscan %d\n", out[0]);
    MPI_Reduce_scatter(in, out, &two, MPI_INT, sum, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(&in[2], &out[2], 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("reduce_scatter %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    out[0] = 0;
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast_init(in, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("iallreduce %d\n", out[0]);
    MPI_Op_free(&sum);
    MPI_Type_free(&strided);
    MPI_Finalize();
    return 0;
}
