/* ANY_SOURCE and ANY_TAG: everything arrives once, and the status names who and what. */
#include "check.h"

enum { EACH = 4 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank > 0) {
        for (int m = 0; m < EACH; m++) {
            int value = rank * 100 + m;
            MPI_Send(&value, 1, MPI_INT, 0, m * 3, MPI_COMM_WORLD);
        }
    } else {
        int *next = calloc(size, sizeof *next);
        long sum = 0;
        for (int i = 0; i < (size - 1) * EACH; i++) {
            int value;
            MPI_Status s;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
            CHECK(value == s.MPI_SOURCE * 100 + s.MPI_TAG / 3);
            CHECK(s.MPI_TAG == 3 * next[s.MPI_SOURCE]++);        /* from one sender: in order */
            sum += value;
        }
        for (int r = 1; r < size; r++) CHECK(next[r] == EACH);
        say("ANY_SOURCE, ANY_TAG: %d messages, sum %ld\n", (size - 1) * EACH, sum);
        free(next);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    /* Fixed tag, any source: the messages with another tag wait. */
    if (rank > 0) {
        int odd = -rank, even = rank;
        MPI_Send(&odd, 1, MPI_INT, 0, 101, MPI_COMM_WORLD);
        MPI_Send(&even, 1, MPI_INT, 0, 100, MPI_COMM_WORLD);
    } else {
        int value, sums[2] = {0, 0};
        for (int tag = 100; tag <= 101; tag++)
            for (int i = 1; i < size; i++) {
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK((value > 0) == (tag == 100));
                sums[tag - 100] += value;
            }
        CHECK(sums[0] == size * (size - 1) / 2 && sums[1] == -sums[0]);
        say("ANY_SOURCE with a tag: %d %d\n", sums[0], sums[1]);
    }
    return finish();
}
