/* Says and does one thing after the other; the test plays the simulator. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void last(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++) ((int *)inout)[2 * i] = ((int *)in)[2 * i] * 10 + ((int *)inout)[2 * i];
}

int main(int argc, char **argv) {
    int x[4] = {1, 2, 3, 4}, big[4096], columns[8] = {0}, result[2] = {0}, count;
    MPI_Datatype strided, padded;
    MPI_Op op;
    MPI_Request request;
    MPI_Status status;
    struct timespec now;
    for (int i = 0; i < 4096; i++) big[i] = i;

    MPI_Init(&argc, &argv);
    printf("begun\n");
    MPI_Send(x, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Isend(big, 4096, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Type_vector(4, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Recv(columns, 1, strided, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf("got %d from %d with %d: %d %d %d\n", count, status.MPI_SOURCE, status.MPI_TAG, columns[0], columns[2],
           columns[4]);

    MPI_Type_create_resized(MPI_INT, 0, 8, &padded);
    MPI_Type_commit(&padded);
    MPI_Op_create(last, 0, &op);
    MPI_Allreduce(x, result, 1, padded, op, MPI_COMM_WORLD);
    printf("reduced %d\n", result[0]);

    sleep(2);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("at %ld.%09ld, %.1f\n", (long)now.tv_sec, now.tv_nsec, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
