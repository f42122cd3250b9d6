/* With MPI_ERRORS_RETURN, a collective whose ranks give different sizes returns an error where too much arrives, and the program goes on. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name(int code) {
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_SUCCESS ? "success" : class == MPI_ERR_TRUNCATE ? "truncate" : class == MPI_ERR_OTHER ? "other" : "unexpected";
}

int main(int argc, char **argv) {
    int rank, size, code, data[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char out[512];
    int n = 0;

    /* The last rank has room for half of what the root sends. */
    for (int i = 0; i < 64; i++) data[i] = rank == 0 ? i : -1;
    code = MPI_Bcast(data, rank == size - 1 ? 32 : 64, MPI_INT, 0, MPI_COMM_WORLD);
    n += sprintf(out + n, "bcast %s%s", name(code), rank == size - 1 || data[63] == 63 ? "" : " WRONG DATA");

    /* The last rank waits for more than the root sends. */
    code = MPI_Bcast(data, rank == size - 1 ? 64 : 32, MPI_INT, 0, MPI_COMM_WORLD);
    n += sprintf(out + n, ", short bcast %s", name(code));

    /* Rank 1 has room for less than the others give. */
    int sum[64];
    code = MPI_Allreduce(data, sum, rank == 1 ? 8 : 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    n += sprintf(out + n, ", allreduce %s", name(code));

    /* The same without waiting. */
    MPI_Request request;
    code = MPI_Iallreduce(data, sum, rank == 1 ? 8 : 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    n += sprintf(out + n, ", iallreduce %s", name(code));

    int *all = malloc(64 * sizeof(int) * size);
    code = MPI_Allgather(data, rank == 2 ? 4 : 8, MPI_INT, all, rank == 2 ? 4 : 8, MPI_INT, MPI_COMM_WORLD);
    n += sprintf(out + n, ", allgather %s", name(code));

    /* Afterwards everything works. */
    int one = 1, total = 0;
    code = MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    n += sprintf(out + n, ", then %s %d", name(code), total);
    printf("%d: %s\n", rank, out);
    free(all);
    MPI_Finalize();
    return 0;
}
