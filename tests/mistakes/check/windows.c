/* One-sided communication: epochs, ranges, conflicts. */
#include "cases.h"

static MPI_Win win;

static void open_window(void) { MPI_Win_create(ints, 64, sizeof(int), MPI_INFO_NULL, W, &win); }
static void put(int n, int at) { MPI_Put(more, n, MPI_INT, 1, at, n, MPI_INT, win); }

CASE("rma-sync", put_without_epoch, 2) {
    open_window();
    if (!wrong) MPI_Win_fence(0, win);
    if (rank == 0) put(1, 0);
    if (!wrong) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-sync", get_after_the_last_fence, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (!wrong && rank == 0) MPI_Get(more, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (wrong && rank == 0) MPI_Get(more, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_free(&win);
}
CASE("rma-sync", lock_of_another_rank, 2) {
    open_window();
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, wrong ? 0 : 1, 0, win);
        put(1, 0);
        MPI_Win_unlock(wrong ? 0 : 1, win);
    }
    MPI_Win_free(&win);
}
CASE("rma-sync", unlock_without_lock, 2) {
    open_window();
    if (!wrong) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
}
CASE("rma-sync", locked_twice, 2) {
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    if (wrong) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
}
CASE("rma-sync", freed_while_locked, 2) {
    open_window();
    MPI_Win_lock_all(0, win);
    if (!wrong) MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
CASE("rma-sync", flush_without_lock, 2) {
    open_window();
    if (!wrong) MPI_Win_lock_all(0, win);
    MPI_Win_flush(1, win);
    if (!wrong) MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
CASE("rma-sync", complete_without_start, 2) {
    MPI_Group all;
    open_window();
    MPI_Comm_group(W, &all);
    if (!wrong) {
        MPI_Win_post(all, 0, win);
        MPI_Win_start(all, 0, win);
    }
    MPI_Win_complete(win);
    if (!wrong) MPI_Win_wait(win);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}
CASE("rma-sync", put_to_a_rank_not_started, 3) {
    MPI_Group all, one;
    open_window();
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, (int[]){2}, &one);
    if (rank == 0) {
        MPI_Win_start(one, 0, win);
        MPI_Put(more, 1, MPI_INT, wrong ? 1 : 2, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&one);
    MPI_Group_incl(all, 1, (int[]){0}, &one);
    if (rank == 2) {
        MPI_Win_post(one, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&one);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}
CASE("rma-sync", lock_and_fence, 2) {
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    if (wrong) MPI_Win_fence(0, win);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
}
CASE("rma-range", put_behind_the_end, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, wrong ? 15 : 14);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("invalid-argument", get_before_the_start, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Get(more, 1, MPI_INT, 1, wrong ? -1 : 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-range", strided_behind_the_end, 2) {
    MPI_Datatype type;
    MPI_Type_vector(4, 1, wrong ? 6 : 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(more, 4, MPI_INT, 1, 0, 1, type, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&type);
}
CASE("rma-range", nothing_exposed, 2) {
    MPI_Win_create(ints, wrong && rank == 1 ? 0 : 64, sizeof(int), MPI_INFO_NULL, W, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0) MPI_Accumulate(more, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", two_puts_of_two_ranks, 3) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank != 1) put(2, wrong || !rank ? 0 : 2);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", two_puts_of_one_rank, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(4, 0);
    if (!wrong) MPI_Win_fence(0, win);
    if (rank == 0) put(4, 2);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", put_and_get, 3) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(4, 0);
    if (rank == 2) MPI_Get(more, 4, MPI_INT, 1, wrong ? 3 : 4, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", put_and_accumulate, 3) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0 && wrong) put(1, 0);
    if (rank == 0 && !wrong) MPI_Accumulate(more, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    if (rank == 2) MPI_Accumulate(more, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", put_and_get_without_flush, 2) {
    open_window();
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        put(1, 0);
        if (!wrong) MPI_Win_flush(1, win);
        MPI_Get(more + 8, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", shared_lock, 2) {
    open_window();
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        put(2, 0);
        put(2, wrong ? 1 : 2);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}
CASE("rma-conflict", two_starts, 3) {
    MPI_Group all, group;
    open_window();
    MPI_Comm_group(W, &all);
    if (rank == 1) {
        MPI_Group_incl(all, 2, (int[]){0, 2}, &group);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Group_incl(all, 1, (int[]){1}, &group);
        MPI_Win_start(group, 0, win);
        put(1, wrong ? 0 : rank);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}
CASE("datatype-mismatch", put_of_another_type, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(more, 4, MPI_INT, 1, 0, 4, wrong ? MPI_FLOAT : MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("buffer-changed", origin_of_a_put, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(4, 0);
    if (rank == 0 && wrong) more[1] = 8;
    MPI_Win_fence(0, win);
    more[1] = 9;
    MPI_Win_free(&win);
}
CASE("rma-sync", freed_without_the_last_fence, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Get(more, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    if (!wrong) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", origin_of_a_put_in_the_window, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 0);
    if (rank == 1) MPI_Put(ints + (wrong ? 1 : 2), 2, MPI_INT, 0, 8, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", origin_of_a_get_in_the_window, 3) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Get(ints + 4, 2, MPI_INT, 0, 8, 2, MPI_INT, win);
    if (rank == 2) MPI_Get(more, 2, MPI_INT, 1, wrong ? 5 : 6, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", origin_in_the_window_of_a_locked_rank, 2) {
    open_window();
    MPI_Win_lock_all(0, win);
    if (rank == 1) MPI_Put(ints, 1, MPI_INT, 0, 8, 1, MPI_INT, win);
    if (rank == 1 && !wrong) MPI_Win_flush_local(0, win);
    MPI_Barrier(W);
    if (rank == 0) put(1, 0);
    MPI_Barrier(W);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", sent_from_the_window, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) {
        put(2, 0);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, W);
        MPI_Recv(more + 8, 2, MPI_INT, 1, 0, W, NOWHERE);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Send(ints + (wrong ? 1 : 2), 2, MPI_INT, 0, 0, W);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", received_into_the_window, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) {
        if (wrong) put(2, 0);
        MPI_Send(more, 2, MPI_INT, 1, 0, W);
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, W, NOWHERE);
        if (!wrong) put(2, 2);
    } else {
        MPI_Recv(ints, 2, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, W);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
/* A message orders what the owner reads before the access. */
CASE("rma-conflict", sent_before_the_put, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Send(ints, 2, MPI_INT, 0, 0, W);
    if (rank == 0) {
        MPI_Recv(more, 2, MPI_INT, 1, 0, W, NOWHERE);
        put(2, 0);
        if (wrong) put(1, 1);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("buffer-changed", origin_of_a_get, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Get(more, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
    if (rank == 0) more[wrong ? 1 : 5] = 8;
    MPI_Win_fence(0, win);
    more[1] = 9;
    MPI_Win_free(&win);
}
CASE("buffer-overlap", sends_what_it_gets, 2) {
    open_window();
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Get(more, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
        if (!wrong) MPI_Win_flush(1, win);
        MPI_Send(more + 3, 1, MPI_INT, 1, 0, W);
        MPI_Win_unlock(1, win);
    } else MPI_Recv(more, 1, MPI_INT, 0, 0, W, NOWHERE);
    MPI_Win_free(&win);
}
CASE("buffer-overlap", receives_where_it_gets, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Get(more, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
        MPI_Recv(more + (wrong ? 3 : 4), 1, MPI_INT, 1, 0, W, NOWHERE);
    } else MPI_Send(more, 1, MPI_INT, 0, 0, W);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("buffer-overlap", reduces_what_it_gets, 2) {
    open_window();
    MPI_Win_lock_all(0, win);
    MPI_Get(more, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, win);
    if (!wrong) MPI_Win_flush_all(win);
    MPI_Allreduce(more, more + 8, 4, MPI_INT, MPI_SUM, W);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
