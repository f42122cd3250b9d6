/* Waitany and Waitsome drain sets of requests in whatever order they complete; null requests are passed over. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *in = malloc(size * sizeof *in), *seen = calloc(size, sizeof *seen), *indices = malloc(size * sizeof *indices);
    MPI_Request *q = malloc(size * sizeof *q), *sends = malloc(size * sizeof *sends);
    MPI_Status *statuses = malloc(size * sizeof *statuses), s;

    for (int round = 0; round < 2; round++) {
        for (int r = 0; r < size; r++) MPI_Irecv(&in[r], 1, MPI_INT, r, round, MPI_COMM_WORLD, &q[r]);
        int value = rank * 11 + round;
        for (int r = 0; r < size; r++) MPI_Isend(&value, 1, MPI_INT, (rank + r) % size, round, MPI_COMM_WORLD, &sends[r]);
        memset(seen, 0, size * sizeof *seen);
        for (int done = 0; done < size;) {
            if (round == 0) {
                int i;
                MPI_Waitany(size, q, &i, &s);
                CHECK(i >= 0 && i < size && s.MPI_SOURCE == i && in[i] == i * 11 && q[i] == MPI_REQUEST_NULL);
                seen[i]++, done++;
            } else {
                int count;
                MPI_Waitsome(size, q, &count, indices, statuses);
                CHECK(count > 0);
                for (int k = 0; k < count; k++) {
                    CHECK(statuses[k].MPI_SOURCE == indices[k] && in[indices[k]] == indices[k] * 11 + 1);
                    seen[indices[k]]++;
                }
                done += count;
            }
        }
        MPI_Waitall(size, sends, MPI_STATUSES_IGNORE);
        for (int r = 0; r < size; r++) CHECK(seen[r] == 1);
        int none;
        if (round == 0) MPI_Waitany(size, q, &none, &s);
        else MPI_Waitsome(size, q, &none, indices, statuses);
        CHECK(none == MPI_UNDEFINED);
        say("%d %s: each of %d once\n", rank, round ? "Waitsome" : "Waitany", size);
    }
    free(in), free(seen), free(indices), free(q), free(sends), free(statuses);
    return finish();
}
