/* Bcast from every root, with many lengths and types; Barrier really separates before from after. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int lengths[] = {1, 2, 7, 64, 1000, 20000};
    int *data = malloc(20000 * sizeof *data);
    for (int root = 0; root < size; root++)
        for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            if (k == 5 && root > 2) continue;
            int n = lengths[k], wrong = 0;
            for (int i = 0; i < n; i++) data[i] = rank == root ? root * 3 + i : -1;
            MPI_Bcast(data, n, MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < n; i++) wrong += data[i] != root * 3 + i;
            CHECK(wrong == 0);
        }
    say("%d last %d\n", rank, data[63]);
    free(data);

    /* What was sent before the barrier can be received after it: Iprobe must find it sooner or later,
     * and what is sent after the barrier cannot be there before. */
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, got;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 5, &got, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == previous);
    for (int i = 0; i < 20; i++) MPI_Barrier(MPI_COMM_WORLD);

    char text[16] = "";
    if (rank == size / 2) strcpy(text, "hello");
    MPI_Bcast(text, sizeof text, MPI_CHAR, size / 2, MPI_COMM_WORLD);
    CHECK(strcmp(text, "hello") == 0);
    double d = rank == 0 ? 0.125 : 0;
    MPI_Bcast(&d, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(d == 0.125);
    return finish();
}
