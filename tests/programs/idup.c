/* MPI_Comm_idup lets ranks go on before everybody has called it. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm first, second, copy[2];
    MPI_Request requests[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);

    /* Two of them, begun in different orders. */
    int swapped = rank % 2;
    MPI_Comm_idup(swapped ? second : first, &copy[swapped], &requests[0]);
    MPI_Comm_idup(swapped ? first : second, &copy[!swapped], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) {
        int sum, result;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy[i]);
        CHECK(sum == size * (size - 1) / 2);
        MPI_Comm_compare(i ? second : first, copy[i], &result);
        CHECK(result == MPI_CONGRUENT);
        MPI_Comm_free(&copy[i]);
    }

    /* The last rank begins only after it has heard of the others. */
    MPI_Comm late;
    int word = 5;
    if (rank < size - 1) {
        MPI_Comm_idup(first, &late, &requests[0]);
        MPI_Send(&word, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
    } else {
        for (int r = 0; r < size - 1; r++) MPI_Recv(&word, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(first, &late, &requests[0]);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(late);
    MPI_Comm_free(&late), MPI_Comm_free(&second), MPI_Comm_free(&first);
    say("%d has its copies\n", rank);
    return finish();
}
