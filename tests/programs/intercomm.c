/* Two halves of the world talk through an inter-communicator, then merge. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (size == 1) {
        say("one rank has no other half\n");
        return finish();
    }
    int colour = rank % 2, mine, others, remote, flag;
    MPI_Comm half, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 12, &inter);
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    MPI_Comm_test_inter(half, &flag);
    CHECK(!flag);
    MPI_Comm_size(inter, &mine);
    MPI_Comm_remote_size(inter, &others);
    CHECK(mine + others == size);

    /* Rank k of one side greets rank k of the other, if there is one. */
    int me;
    MPI_Comm_rank(inter, &me);
    if (me < others) {
        MPI_Sendrecv(&rank, 1, MPI_INT, me, 0, &remote, 1, MPI_INT, me, 0, inter, MPI_STATUS_IGNORE);
        CHECK(remote == (colour ? rank - 1 : rank + 1));
        say("%d met %d\n", rank, remote);
    }
    int sum = -1, want = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);      /* the sum of the other side */
    for (int r = 1 - colour; r < size; r += 2) want += r;
    CHECK(sum == want);

    MPI_Intercomm_merge(inter, colour, &merged);
    int place;
    MPI_Comm_rank(merged, &place);
    say("%d is %d after the merge, other side sums to %d\n", rank, place, sum);
    MPI_Comm_free(&merged), MPI_Comm_free(&inter), MPI_Comm_free(&half);
    return finish();
}
