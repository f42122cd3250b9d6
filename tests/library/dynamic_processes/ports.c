/* Rank 0 opens a port and accepts one rank after the other; then two halves of the ranks meet. */
#include "../../programs/check.h"

static void greet(MPI_Comm side, int value)
{
    int remote, got = -1;
    MPI_Status status;
    MPI_Comm_remote_size(side, &remote);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, side, &status);
    say("the other side has %d ranks, its first says %d\n", remote, got);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Init(&argc, &argv);
    learn_rank();
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("greetings", MPI_INFO_NULL, port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Lookup_name("greetings", MPI_INFO_NULL, port);
    for (int other = 1; other < size; other++) {
        MPI_Comm side;
        if (rank == 0) {
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &side);
            greet(side, 100);
            MPI_Comm_disconnect(&side);
        } else if (rank == other) {
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &side);
            greet(side, 10 * rank);
            MPI_Comm_disconnect(&side);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm half, sides, all;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (size > 1) {
        int sum = 0;
        if (rank % 2 == 0)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &sides);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &sides);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, sides);
        say("sum of the other side %d\n", sum);
        MPI_Intercomm_merge(sides, rank % 2, &all);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
        say("sum of all %d\n", sum);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&sides);
    }
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Unpublish_name("greetings", MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        int class, code = MPI_Lookup_name("greetings", MPI_INFO_NULL, port);
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_NAME);
        MPI_Error_class(MPI_Unpublish_name("greetings", MPI_INFO_NULL, "nothing"), &class);
        CHECK(class == MPI_ERR_SERVICE);
        CHECK(MPI_Publish_name("weather", MPI_INFO_NULL, "any text: 12") == MPI_SUCCESS);
        MPI_Error_class(MPI_Publish_name("weather", MPI_INFO_NULL, "another"), &class);
        CHECK(class == MPI_ERR_SERVICE);
        CHECK(MPI_Lookup_name("weather", MPI_INFO_NULL, port) == MPI_SUCCESS && strcmp(port, "any text: 12") == 0);
    }
    return finish();
}
