/* Windows with attached memory: several pieces, attached and detached while others are in use. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int right = (rank + 1) % size, *flavor, *unit, found;
    MPI_Aint *bytes, here[3], there[3];
    void *base;
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
    CHECK(found && *flavor == MPI_WIN_FLAVOR_DYNAMIC);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found);
    CHECK(found && base == MPI_BOTTOM);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &found);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &found);
    say("size %ld, unit %d\n", (long)*bytes, *unit);

    /* Pieces of different kinds: static, stack, heap. */
    static int fixed[4];
    int local[4] = {0}, *heap = malloc(4 * sizeof(int)), *pieces[3] = {fixed, local, heap};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            pieces[i][j] = 1000 * rank + 10 * i + j;
        MPI_Win_attach(win, pieces[i], 4 * sizeof(int));
        MPI_Get_address(pieces[i], &here[i]);
    }
    MPI_Sendrecv(here, 3, MPI_AINT, (rank + size - 1) % size, 0, there, 3, MPI_AINT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    int got[3][2];
    for (int i = 0; i < 3; i++)
        MPI_Get(got[i], 2, MPI_INT, right, MPI_Aint_add(there[i], (i + 1) % 3 * sizeof(int)), 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 3; i++)
        say("rank %d got %d %d\n", rank, got[i][0], got[i][1]);

    /* Memory that is detached and attached again, longer. */
    MPI_Win_detach(win, heap);
    free(heap);
    heap = calloc(100, sizeof(int));
    MPI_Win_attach(win, heap, 100 * sizeof(int));
    MPI_Get_address(heap, &here[0]);
    MPI_Sendrecv(here, 1, MPI_AINT, (rank + size - 1) % size, 0, there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int value = rank + 1;
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 100; i += 33)
        MPI_Accumulate(&value, 1, MPI_INT, right, MPI_Aint_add(there[0], i * sizeof(int)), 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    say("rank %d has %d %d %d %d\n", rank, heap[0], heap[1], heap[33], heap[99]);

    for (int i = 0; i < 2; i++)
        MPI_Win_detach(win, pieces[i]);
    MPI_Win_detach(win, heap);
    free(heap);
    MPI_Win_free(&win);
    return finish();
}
