/* Post, start, complete, wait and test; windows with attached memory. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    int memory[4] = {-1, -1, -1, -1}, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Win win;
    MPI_Group world, origins, targets;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &world);
    MPI_Group_incl(world, 1, &left, &origins);
    MPI_Group_incl(world, 1, &right, &targets);
    for (int round = 0; round < 4; round++) {
        int value = 10 * rank + round;
        MPI_Win_post(origins, 0, win);
        MPI_Win_start(targets, 0, win);
        MPI_Put(&value, 1, MPI_INT, right, round, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (round % 2) {
            MPI_Win_wait(win);
        } else {
            int over = 0;
            while (!over)
                MPI_Win_test(win, &over);
        }
        CHECK(memory[round] == 10 * left + round);
    }
    say("rank %d: %d %d %d %d\n", rank, memory[0], memory[1], memory[2], memory[3]);
    MPI_Group_free(&world);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    MPI_Win_free(&win);

    /* Addresses of attached memory are displacements. */
    double attached[3] = {rank + 0.25, rank + 0.5, rank + 0.75};
    MPI_Aint here, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, attached, sizeof attached);
    MPI_Get_address(&attached[1], &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double found = 0;
    MPI_Win_fence(0, win);
    MPI_Get(&found, 1, MPI_DOUBLE, right, there, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    say("rank %d found %.2f\n", rank, found);
    MPI_Win_detach(win, attached);
    MPI_Win_free(&win);
    return finish();
}
