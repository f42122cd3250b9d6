/* Persistent collectives go with each other in the order they were made, whatever the order they are started in. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int word, sum = 0, own = rank + 1;
    MPI_Request made[2];
    MPI_Bcast_init(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &made[0]);
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &made[1]);
    for (int round = 0; round < 3; round++) {
        word = rank ? -1 : 40 + round;
        int first = (rank + round) % 2;
        MPI_Start(&made[first]);
        MPI_Start(&made[!first]);
        MPI_Waitall(2, made, MPI_STATUSES_IGNORE);
        CHECK(word == 40 + round);
        CHECK(sum == size * (size + 1) / 2);
    }
    MPI_Request_free(&made[0]), MPI_Request_free(&made[1]);
    say("%d heard %d, sum %d\n", rank, word, sum);
    return finish();
}
