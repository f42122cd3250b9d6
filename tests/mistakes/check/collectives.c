/* Collectives that do not match, give different amounts, or are not called by all. */
#include "cases.h"

CASE("collective-mismatch", barrier_and_bcast, 3) {
    if (wrong && rank == 1) MPI_Barrier(W); else MPI_Bcast(ints, 1, MPI_INT, 0, W);
}
CASE("collective-mismatch", reduce_and_allreduce, 3) {
    if (wrong && rank == 2) MPI_Reduce(ints, more, 1, MPI_INT, MPI_SUM, 0, W);
    else MPI_Allreduce(ints, more, 1, MPI_INT, MPI_SUM, W);
}
CASE("collective-mismatch", gather_and_scatter, 3) {
    if (wrong && rank == 1) MPI_Scatter(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W);
    else MPI_Gather(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W);
}
CASE("collective-mismatch", scan_and_exscan, 3) {
    if (wrong && rank == 1) MPI_Exscan(ints, more, 1, MPI_INT, MPI_SUM, W);
    else MPI_Scan(ints, more, 1, MPI_INT, MPI_SUM, W);
}
CASE("collective-mismatch", alltoall_and_allgather, 3) {
    if (wrong && rank == 0) MPI_Allgather(ints, 1, MPI_INT, more, 1, MPI_INT, W);
    else MPI_Alltoall(ints, 1, MPI_INT, more, 1, MPI_INT, W);
}
CASE("collective-mismatch", swapped_order, 3) {
    if (wrong && rank == 1) {
        MPI_Barrier(W);
        MPI_Bcast(ints, 1, MPI_INT, 0, W);
    } else {
        MPI_Bcast(ints, 1, MPI_INT, 0, W);
        MPI_Barrier(W);
    }
}
CASE("collective-mismatch", dup_and_barrier, 3) {
    MPI_Comm comm;
    if (wrong && rank == 1) MPI_Barrier(W);
    else {
        MPI_Comm_dup(W, &comm);
        MPI_Comm_free(&comm);
    }
}
CASE("collective-mismatch", other_root, 3) { MPI_Bcast(ints, 1, MPI_INT, wrong && rank == 2 ? 1 : 0, W); }
CASE("collective-mismatch", other_root_of_reduce, 3) { MPI_Reduce(ints, more, 1, MPI_INT, MPI_SUM, wrong && rank == 1 ? 1 : 0, W); }
CASE("collective-mismatch", other_root_of_gather, 3) { MPI_Gather(ints, 1, MPI_INT, more, 1, MPI_INT, wrong ? rank : 0, W); }
CASE("collective-mismatch", other_root_of_scatter, 3) { MPI_Scatter(ints, 1, MPI_INT, more, 1, MPI_INT, wrong && rank == 2 ? 2 : 0, W); }
CASE("collective-mismatch", other_operator, 3) { MPI_Allreduce(ints, more, 1, MPI_INT, wrong && rank == 1 ? MPI_MAX : MPI_SUM, W); }
CASE("collective-mismatch", other_operator_of_reduce, 3) { MPI_Reduce(ints, more, 1, MPI_INT, wrong && rank ? MPI_MIN : MPI_SUM, 0, W); }
CASE("collective-mismatch", other_operator_of_scan, 3) { MPI_Scan(ints, more, 1, MPI_INT, wrong && rank == 2 ? MPI_PROD : MPI_SUM, W); }
CASE("collective-mismatch", blocking_barrier, 3) {
    if (wrong && rank == 1) MPI_Barrier(W);
    else {
        MPI_Ibarrier(W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_bcast, 3) {
    if (wrong && rank == 1) MPI_Bcast(ints, 1, MPI_INT, 0, W);
    else {
        MPI_Ibcast(ints, 1, MPI_INT, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", nonblocking_root, 3) {
    if (wrong && rank == 0) {
        MPI_Ibcast(ints, 1, MPI_INT, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    } else MPI_Bcast(ints, 1, MPI_INT, 0, W);
}
CASE("collective-mismatch", blocking_allreduce, 3) {
    if (wrong && rank == 2) MPI_Allreduce(ints, more, 1, MPI_INT, MPI_SUM, W);
    else {
        MPI_Iallreduce(ints, more, 1, MPI_INT, MPI_SUM, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_reduce, 3) {
    if (wrong && rank == 2) MPI_Reduce(ints, more, 1, MPI_INT, MPI_SUM, 0, W);
    else {
        MPI_Ireduce(ints, more, 1, MPI_INT, MPI_SUM, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_gather, 3) {
    if (wrong && rank == 2) MPI_Gather(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W);
    else {
        MPI_Igather(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_alltoall, 3) {
    if (wrong && rank == 1) MPI_Alltoall(ints, 1, MPI_INT, more, 1, MPI_INT, W);
    else {
        MPI_Ialltoall(ints, 1, MPI_INT, more, 1, MPI_INT, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_allgather, 3) {
    if (wrong && rank == 0) MPI_Allgather(ints, 1, MPI_INT, more, 1, MPI_INT, W);
    else {
        MPI_Iallgather(ints, 1, MPI_INT, more, 1, MPI_INT, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", blocking_scan, 3) {
    if (wrong && rank == 0) MPI_Scan(ints, more, 1, MPI_INT, MPI_SUM, W);
    else {
        MPI_Iscan(ints, more, 1, MPI_INT, MPI_SUM, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("collective-mismatch", nonblocking_swapped, 3) {
    MPI_Request one, two;
    if (wrong && rank == 1) {
        MPI_Ibarrier(W, &one);
        MPI_Ibcast(ints, 1, MPI_INT, 0, W, &two);
    } else {
        MPI_Ibcast(ints, 1, MPI_INT, 0, W, &one);
        MPI_Ibarrier(W, &two);
    }
    MPI_Wait(&one, NOWHERE);
    MPI_Wait(&two, NOWHERE);
}
CASE("collective-mismatch", in_a_part, 4) {
    MPI_Comm half;
    MPI_Comm_split(W, rank % 2, rank, &half);
    if (wrong && rank == 3) MPI_Barrier(half); else MPI_Bcast(ints, 1, MPI_INT, 0, half);
    MPI_Comm_free(&half);
}
CASE("collective-mismatch", free_and_fence, 2) {
    MPI_Win win;
    MPI_Win_create(ints, 16, 4, MPI_INFO_NULL, W, &win);
    MPI_Win_fence(0, win);
    if (!wrong || rank == 0) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    if (wrong && rank == 1) MPI_Barrier(W);
}
CASE("count-mismatch", bcast_counts, 3) { MPI_Bcast(ints, wrong && rank == 1 ? 2 : 4, MPI_INT, 0, W); }
CASE("count-mismatch", allreduce_counts, 3) { MPI_Allreduce(ints, more, wrong && rank == 1 ? 2 : 4, MPI_INT, MPI_SUM, W); }
CASE("count-mismatch", reduce_counts, 3) { MPI_Reduce(ints, more, wrong && rank == 2 ? 5 : 4, MPI_INT, MPI_SUM, 0, W); }
CASE("count-mismatch", allgather_counts, 3) {
    int n = wrong && rank == 2 ? 5 : 4;
    MPI_Allgather(ints, n, MPI_INT, more, n, MPI_INT, W);
}
CASE("count-mismatch", alltoall_counts, 3) {
    int n = wrong && rank == 2 ? 5 : 4;
    MPI_Alltoall(ints, n, MPI_INT, more, n, MPI_INT, W);
}
CASE("count-mismatch", scan_counts, 3) { MPI_Scan(ints, more, wrong && rank == 1 ? 2 : 4, MPI_INT, MPI_SUM, W); }
CASE("count-mismatch", gather_less, 3) { MPI_Gather(ints, wrong && rank == 1 ? 2 : 4, MPI_INT, more, 4, MPI_INT, 0, W); }
CASE("count-mismatch", scatter_more_room, 3) { MPI_Scatter(ints, 4, MPI_INT, more, wrong && rank == 1 ? 6 : 4, MPI_INT, 0, W); }
CASE("count-mismatch", gatherv_less, 3) {
    int counts[] = {1, 2, 3}, places[] = {0, 4, 8};
    MPI_Gatherv(ints, wrong && rank == 2 ? 1 : rank + 1, MPI_INT, more, counts, places, MPI_INT, 0, W);
}
CASE("count-mismatch", alltoallv_less, 2) {
    int out[] = {2, 2}, in[] = {2, 2}, places[] = {0, 8};
    if (wrong && rank == 0) out[1] = 1;
    MPI_Alltoallv(ints, out, places, MPI_INT, more, in, places, MPI_INT, W);
}
CASE("count-mismatch", allgatherv_less, 2) {
    int counts[] = {2, 3}, places[] = {0, 8};
    MPI_Allgatherv(ints, wrong && rank == 1 ? 2 : rank + 2, MPI_INT, more, counts, places, MPI_INT, W);
}
CASE("count-mismatch", in_place_counts, 3) { MPI_Allreduce(MPI_IN_PLACE, ints, wrong && rank == 1 ? 2 : 4, MPI_INT, MPI_SUM, W); }
CASE("missing-collective", bcast_of_the_root_only, 3) { if (!wrong || rank == 0) MPI_Bcast(ints, 1, MPI_INT, 0, W); }
CASE("missing-collective", gather_without_the_root, 3) { if (!wrong || rank != 0) MPI_Gather(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W); }
CASE("missing-collective", reduce_without_the_root, 3) { if (!wrong || rank != 0) MPI_Reduce(ints, more, 1, MPI_INT, MPI_SUM, 0, W); }
CASE("missing-collective", scatter_of_the_root_only, 3) { if (!wrong || rank == 0) MPI_Scatter(ints, 1, MPI_INT, more, 1, MPI_INT, 0, W); }
CASE("missing-collective", barrier_without_one, 3) { if (!wrong || rank != 2) MPI_Barrier(W); }
CASE("missing-collective", allreduce_without_one, 3) { if (!wrong || rank != 1) MPI_Allreduce(ints, more, 1, MPI_INT, MPI_SUM, W); }
CASE("missing-collective", bcast_in_a_loop, 3) {
    for (int i = 0; i < (wrong && rank == 0 ? 4 : 3); i++) MPI_Bcast(ints, 1, MPI_INT, 0, W);
}
CASE("missing-collective", dup_without_one, 3) {
    MPI_Comm comm;
    if (wrong && rank == 1) return;
    MPI_Comm_dup(W, &comm);
    MPI_Comm_free(&comm);
}
CASE("missing-collective", nonblocking_without_one, 3) {
    if (wrong && rank == 1) return;
    MPI_Ibarrier(W, &request);
    MPI_Wait(&request, NOWHERE);
}
