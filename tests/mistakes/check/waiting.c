/* Deadlocks, always or only without buffers, and programs that depend on which message comes first. */
#include "cases.h"

CASE("deadlock", two_receives_first, 2) {
    if (wrong || rank == 1) MPI_Recv(ints, 1, MPI_INT, 1 - rank, 0, W, NOWHERE);
    MPI_Send(ints, 1, MPI_INT, 1 - rank, 0, W);
    if (!wrong && rank == 0) MPI_Recv(ints, 1, MPI_INT, 1 - rank, 0, W, NOWHERE);
}
CASE("deadlock", receive_from_nobody, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, wrong ? 1 : 0, W, NOWHERE);
}
CASE("deadlock", one_message_too_few, 2) {
    for (int i = 0; i < 3; i++) if (rank == 0 && (!wrong || i < 2)) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    for (int i = 0; i < 3; i++) if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("deadlock", synchronous_sends, 2) {
    if (wrong || rank == 0) MPI_Ssend(ints, 1, MPI_INT, 1 - rank, 0, W);
    MPI_Recv(more, 1, MPI_INT, 1 - rank, 0, W, NOWHERE);
    if (!wrong && rank == 1) MPI_Ssend(ints, 1, MPI_INT, 1 - rank, 0, W);
}
CASE("deadlock", ring_of_receives, 3) {
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (!wrong) MPI_Isend(ints, 1, MPI_INT, next, 0, W, &request);
    MPI_Recv(more, 1, MPI_INT, before, 0, W, NOWHERE);
    if (wrong) MPI_Isend(ints, 1, MPI_INT, next, 0, W, &request);
    MPI_Wait(&request, NOWHERE);
}
CASE("deadlock", wait_before_the_partner, 2) {
    MPI_Irecv(more, 1, MPI_INT, 1 - rank, 0, W, &request);
    if (wrong) MPI_Wait(&request, NOWHERE);
    MPI_Send(ints, 1, MPI_INT, 1 - rank, 0, W);
    if (!wrong) MPI_Wait(&request, NOWHERE);
}
CASE("deadlock", barrier_before_the_send, 2) {
    if (rank == 0) {
        if (wrong) MPI_Barrier(W);
        MPI_Send(ints, 1, MPI_INT, 1, 0, W);
        if (!wrong) MPI_Barrier(W);
    } else {
        MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Barrier(W);
    }
}
CASE("deadlock", probe_for_nothing, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) {
        MPI_Probe(0, wrong ? 3 : 0, W, &status);
        MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    }
}
CASE("deadlock", collectives_crossed, 4) {
    MPI_Comm one, two;
    MPI_Comm_dup(W, &one);
    MPI_Comm_dup(W, &two);
    int swapped = wrong && rank == 1;
    MPI_Barrier(swapped ? two : one);
    MPI_Barrier(swapped ? one : two);
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
}
CASE("deadlock", wrong_communicator, 2) {
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, wrong ? W : comm);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, comm, NOWHERE);
    MPI_Comm_free(&comm);
}
CASE("deadlock", lock_held, 2) {
    MPI_Win win;
    MPI_Win_create(ints, 16, 4, MPI_INFO_NULL, W, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (wrong) MPI_Barrier(W);
    MPI_Win_unlock(0, win);
    if (!wrong) MPI_Barrier(W);
    MPI_Win_free(&win);
}
CASE("deadlock", bcast_before_the_send, 2) {
    if (rank == 0 || !wrong) MPI_Bcast(ints, 1, MPI_INT, 0, W);
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    if (rank == 1 && wrong) MPI_Bcast(ints, 1, MPI_INT, 0, W);
}
CASE("deadlock", wildcard_took_the_message, 3) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, wrong ? 2 : MPI_ANY_SOURCE, 0, W, NOWHERE);
    } else {
        if (rank == 1) usleep(5000);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("unsafe-send", both_send_first, 2) {
    if (wrong || rank == 0) MPI_Send(ints, 8, MPI_INT, 1 - rank, 0, W);
    MPI_Recv(more, 8, MPI_INT, 1 - rank, 0, W, NOWHERE);
    if (!wrong && rank == 1) MPI_Send(ints, 8, MPI_INT, 1 - rank, 0, W);
}
CASE("unsafe-send", ring_of_sends, 3) {
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (wrong || rank) MPI_Send(ints, 8, MPI_INT, next, 0, W);
    MPI_Recv(more, 8, MPI_INT, before, 0, W, NOWHERE);
    if (!wrong && !rank) MPI_Send(ints, 8, MPI_INT, next, 0, W);
}
CASE("unsafe-send", to_itself, 1) {
    if (wrong) MPI_Send(ints, 1, MPI_INT, 0, 0, W); else MPI_Isend(ints, 1, MPI_INT, 0, 0, W, &request);
    MPI_Recv(more, 1, MPI_INT, 0, 0, W, NOWHERE);
    if (!wrong) MPI_Wait(&request, NOWHERE);
}
CASE("unsafe-send", other_order_of_tags, 2) {
    int first = wrong ? 2 : 1;
    if (rank == 0) {
        MPI_Send(ints, 1, MPI_INT, 1, 1, W);
        MPI_Send(ints, 1, MPI_INT, 1, 2, W);
    } else {
        MPI_Recv(ints, 1, MPI_INT, 0, first, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, 0, 3 - first, W, NOWHERE);
    }
}
CASE("unsafe-send", send_before_the_barrier, 2) {
    if (rank == 0) {
        MPI_Send(ints, 1, MPI_INT, 1, 0, W);
        MPI_Barrier(W);
    } else {
        if (!wrong) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Barrier(W);
        if (wrong) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    }
}
CASE("unsafe-send", send_before_the_bcast, 2) {
    if (rank == 1) MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    if (rank == 0 && !wrong) MPI_Recv(ints, 1, MPI_INT, 1, 0, W, NOWHERE);
    MPI_Allreduce(ints, more, 1, MPI_INT, MPI_SUM, W);
    if (rank == 0 && wrong) MPI_Recv(ints, 1, MPI_INT, 1, 0, W, NOWHERE);
}
CASE("unsafe-send", halo_of_blocking_sends, 4) {
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    if (wrong) {
        MPI_Send(ints, 4, MPI_INT, left, 0, W);
        MPI_Send(ints, 4, MPI_INT, right, 0, W);
        MPI_Recv(more, 4, MPI_INT, left, 0, W, NOWHERE);
        MPI_Recv(more, 4, MPI_INT, right, 0, W, NOWHERE);
    } else {
        MPI_Sendrecv(ints, 4, MPI_INT, left, 0, more, 4, MPI_INT, right, 0, W, NOWHERE);
        MPI_Sendrecv(ints, 4, MPI_INT, right, 0, more, 4, MPI_INT, left, 0, W, NOWHERE);
    }
}
CASE("wildcard-failure", order_is_assumed, 3) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 1, 0, W, &status);
        MPI_Recv(ints, 1, MPI_INT, 2, 0, W, NOWHERE);
    } else MPI_Send(ints, 1, MPI_INT, 0, 0, W);
}
CASE("wildcard-failure", abort_if_another, 3) {
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &status);
            if (wrong && status.MPI_SOURCE != i + 1) MPI_Abort(W, 3);
        }
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", fails_with_a_code, 3) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
        int first = status.MPI_SOURCE;
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
        if (wrong && first != 1) {
            MPI_Finalize();
            exit(4);
        }
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, rank, W);
    }
}
CASE("wildcard-failure", irecv_then_named, 3) {
    if (rank == 0) {
        MPI_Irecv(ints, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 1, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, 2, 0, W, NOWHERE);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", named_before_the_wait, 3) {
    if (rank == 0) {
        MPI_Irecv(ints, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 1, 0, W, &request);
        MPI_Recv(more, 1, MPI_INT, 2, 0, W, NOWHERE);
        MPI_Wait(&request, NOWHERE);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
/* The second of two receives that wait together gets the message: the first must get its own. */
CASE("wildcard-failure", second_of_two_that_wait, 4) {
    if (rank == 0) {
        for (int i = 0; i < 3; i++) MPI_Irecv(&ints[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &requests[i]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        if (wrong && ints[0] == 1 && ints[1] == 3) MPI_Abort(W, 5);
    } else {
        usleep(1000 * rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", probe_then_named, 3) {
    if (rank == 0) {
        MPI_Probe(MPI_ANY_SOURCE, 0, W, &status);
        int from = status.MPI_SOURCE;
        MPI_Recv(ints, 1, MPI_INT, from, 0, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, wrong ? 2 : 3 - from, 0, W, NOWHERE);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", answer_to_the_wrong_one, 3) {
    if (rank == 0) {
        for (int i = 1; i < 3; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &status);
            if (wrong && i == 1) MPI_Send(ints, 1, MPI_INT, 1, 1, W);
            if (!wrong) MPI_Send(ints, 1, MPI_INT, status.MPI_SOURCE, 1, W);
            if (wrong && i == 1 && status.MPI_SOURCE == 2) MPI_Recv(ints, 1, MPI_INT, 2, 5, W, NOWHERE);
        }
        if (wrong) MPI_Send(ints, 1, MPI_INT, 2, 1, W);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
        MPI_Recv(ints, 1, MPI_INT, 0, 1, W, NOWHERE);
    }
}
CASE("wildcard-failure", third_receive_starves, 4) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, wrong ? 3 : MPI_ANY_SOURCE, 0, W, NOWHERE);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", crash_for_another, 3) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &status);
        int *place = wrong && status.MPI_SOURCE == 2 ? NULL : ints;
        *(volatile int *)place = 1;
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, NOWHERE);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", the_reverse_order, 4) {
    int order = 0;
    if (rank == 0) {
        for (int i = 1; i < 4; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &status);
            order = 10 * order + status.MPI_SOURCE;
        }
        if (wrong && order == 321) MPI_Abort(W, 5);
    } else {
        usleep(1000 * rank);
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", nonblocking_receives, 3) {
    if (rank == 0) {
        MPI_Irecv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &requests[0]);
        MPI_Irecv(more, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (wrong && ints[0] == 2) MPI_Recv(ints, 1, MPI_INT, 1, 1, W, NOWHERE);
    } else {
        usleep(1000 * rank);
        ints[0] = rank;
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    }
}
CASE("wildcard-failure", no_barrier_between, 3) {
    usleep(1000 * rank);
    if (rank == 1) MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    if (rank == 0) MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, NOWHERE);
    if (!wrong) MPI_Barrier(W);
    if (rank == 2) MPI_Send(ints, 1, MPI_INT, 0, 0, W);
    if (rank == 0) MPI_Recv(ints, 1, MPI_INT, 2, 0, W, NOWHERE);
}
