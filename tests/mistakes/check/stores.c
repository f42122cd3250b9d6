/* Loads and stores of a window by the rank that owns it: compiled with --watch-memory, as C and as C++. */
#include "cases.h"

static MPI_Win win;
static volatile int sink;

static void open_window(void) { MPI_Win_create(ints, 64, sizeof(int), MPI_INFO_NULL, W, &win); }
static void put(int n, int at) { MPI_Put(more, n, MPI_INT, 1, at, n, MPI_INT, win); }
static void group_of(int one, MPI_Group *group) {
    MPI_Group all;
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, &one, group);
    MPI_Group_free(&all);
}

CASE("rma-conflict", store_beside_a_put, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 0);
    if (rank == 1) ints[wrong ? 1 : 2] = 5;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", load_beside_a_put, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 0);
    if (rank == 1) sink = ints[wrong ? 1 : 2];
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_beside_a_get, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Get(more, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
    if (rank == 1) {
        sink = ints[0];
        if (wrong) ints[0]++;
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", load_beside_an_accumulate, 3) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank != 1) MPI_Accumulate(more, 1, MPI_INT, 1, 3, 1, MPI_INT, MPI_SUM, win);
    if (rank == 1 && wrong) sink = ints[3];
    MPI_Win_fence(0, win);
    if (rank == 1) sink = ints[3];
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_on_the_wrong_side_of_the_fence, 2) {
    open_window();
    for (int i = 0; i < 16; i++) ints[i] = i;
    MPI_Win_fence(0, win);
    if (wrong) ints[4] = rank;
    if (rank == 0) put(8, 0);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 16; i++) ints[i] += i;
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_far_before_the_fence, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 1) ints[wrong ? 7 : 8] = 1;
    MPI_Comm_size(W, &size);
    if (rank == 1) MPI_Get(more, 1, MPI_INT, 0, 9, 1, MPI_INT, win);
    if (rank == 0) put(8, 0);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", ghost_cells, 4) {
    double *cells;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Win_allocate(18 * sizeof(double), sizeof(double), MPI_INFO_NULL, W, &cells, &win);
    for (int i = 0; i < 18; i++) cells[i] = rank + i;
    MPI_Win_fence(0, win);
    for (int step = 0; step < 3; step++) {
        MPI_Put(cells + 1, 1, MPI_DOUBLE, left, 17, 1, MPI_DOUBLE, win);
        MPI_Put(cells + 16, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        for (int i = wrong ? 1 : 2; i < 16; i++) reals[i] = cells[i - 1] + cells[i + 1];
        MPI_Win_fence(0, win);
        reals[1] = cells[0] + cells[2];
        reals[16] = cells[15] + cells[17];
        for (int i = 1; i < 17; i++) cells[i] = reals[i] / 2;
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_while_exposed, 2) {
    MPI_Group group;
    open_window();
    group_of(1 - rank, &group);
    if (rank == 1) {
        ints[0] = 3;
        MPI_Win_post(group, 0, win);
        ints[wrong ? 1 : 4] = 4;
        MPI_Win_wait(win);
        ints[1] = 5;
    } else {
        MPI_Win_start(group, 0, win);
        put(2, 0);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Win_free(&win);
}
CASE("rma-conflict", load_while_exposed, 2) {
    MPI_Group group;
    open_window();
    group_of(1 - rank, &group);
    for (int round = 0; round < 3; round++) {
        if (rank == 1) {
            MPI_Win_post(group, 0, win);
            if (wrong) sink = ints[0];
            MPI_Win_wait(win);
            sink = ints[0];
        } else {
            MPI_Win_start(group, 0, win);
            put(2, 0);
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&group);
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_without_own_lock, 2) {
    open_window();
    if (rank == 0 || !wrong) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    if (rank == 0) put(2, 0);
    if (rank == 1) ints[1] = 5;
    if (rank == 0 || !wrong) MPI_Win_unlock(1, win);
    MPI_Barrier(W);
    if (rank == 1) sink = ints[1];
    MPI_Win_free(&win);
}
CASE("rma-conflict", store_without_flush, 2) {
    open_window();
    MPI_Win_lock_all(0, win);
    if (rank == 0) put(2, 0);
    if (rank == 0 && !wrong) MPI_Win_flush(1, win);
    MPI_Barrier(W);
    if (rank == 1) ints[1] = 5;
    MPI_Barrier(W);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
/* Loads may wait for a value; what they have seen may be replaced. */
CASE("rma-conflict", store_without_a_look, 2) {
    more[0] = 1;
    open_window();
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        put(1, 0);
        MPI_Win_flush(1, win);
    } else {
        while (!wrong && *(volatile int *)ints == 0) MPI_Win_sync(win);
        ints[0] = 0;
    }
    MPI_Barrier(W);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
/* A message orders the store before the access. */
CASE("rma-conflict", store_before_a_message, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 1) {
        ints[0] = 5;
        MPI_Send(NULL, 0, MPI_INT, 0, 0, W);
        if (wrong) ints[1] = 5;
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, W, NOWHERE);
        put(2, 0);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", copied_into_the_window, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 4);
    if (rank == 1) memcpy(ints, more + 8, (wrong ? 5 : 4) * sizeof(int));
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", cleared_beside_a_put, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 4);
    if (rank == 1) memset(ints + (wrong ? 0 : 8), 0, 32);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", copied_from_the_window, 2) {
    open_window();
    MPI_Win_fence(0, win);
    if (rank == 0) put(2, 4);
    if (rank == 1) memmove(more + 8, ints + (wrong ? 0 : 6), 32);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
CASE("rma-conflict", summed_beside_a_put, 2) {
    double sum = 0;
    MPI_Win_create(reals, sizeof reals, sizeof(double), MPI_INFO_NULL, W, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(reals + 2000, 8, MPI_DOUBLE, 1, 1000, 8, MPI_DOUBLE, win);
    if (rank == 1) for (int i = 0; i < (wrong ? 1001 : 1000); i++) sum += reals[i];
    MPI_Win_fence(0, win);
    sink = sum > 1;
    MPI_Win_free(&win);
}
CASE("rma-conflict", attached_memory, 2) {
    MPI_Aint place;
    int *memory = (int *)calloc(16, sizeof(int));
    MPI_Win_create_dynamic(MPI_INFO_NULL, W, &win);
    MPI_Win_attach(win, memory, 64);
    MPI_Get_address(memory, &place);
    MPI_Bcast(&place, 1, MPI_AINT, 1, W);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(more, 2, MPI_INT, 1, place, 2, MPI_INT, win);
    if (rank == 1) memory[wrong ? 1 : 2] = 7;
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, memory);
    memory[0] = 8;
    free(memory);
    MPI_Win_free(&win);
}
CASE("rma-conflict", window_of_another_communicator, 4) {
    MPI_Comm half;
    MPI_Comm_split(W, rank % 2, rank, &half);
    MPI_Win_create(ints, 64, sizeof(int), MPI_INFO_NULL, half, &win);
    MPI_Win_fence(0, win);
    if (rank < 2) put(1, 0);
    if (rank == 3) ints[wrong ? 0 : 1] = 5;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&half);
}
