/* Later ways to make communicators: create_group, split_type, idup, dup_with_info. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Group world, low;
    int half[1][3] = {{0, size / 2, 1}}, me, n, sum;
    MPI_Comm made, node, copy;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, half, &low);
    if (rank <= size / 2) {                          /* only members call it */
        MPI_Comm_create_group(MPI_COMM_WORLD, low, 5, &made);
        MPI_Comm_rank(made, &me);
        MPI_Comm_size(made, &n);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
        CHECK(me == rank && n == size / 2 + 1);
        say("%d in the lower half of %d, sum %d\n", rank, n, sum);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&low), MPI_Group_free(&world);

    /* Who shares memory with whom depends on the machine; that every rank is somewhere does not. */
    int node_rank, first, nodes, everyone;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &n);
    first = node_rank == 0;
    int counted = first ? n : 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&counted, &everyone, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(nodes >= 1 && nodes <= size && everyone == size);
    MPI_Comm_free(&node);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &node);
    CHECK(node == MPI_COMM_NULL);

    MPI_Request q;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_free(&copy);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, copy);
    CHECK(sum == size - 1);
    MPI_Comm_free(&copy);
    return finish();
}
