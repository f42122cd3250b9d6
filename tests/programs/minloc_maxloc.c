/* MINLOC and MAXLOC on all pair types; ties go to the lowest index. */
#include "check.h"

#define LOCATE(ctype, mpitype)                                                                       \
    do {                                                                                             \
        struct { ctype value; int index; } mine[2], low[2], high[2], first;                          \
        mine[0].value = (ctype)((rank * 7 + 3) % 11), mine[0].index = rank;                          \
        mine[1].value = (ctype)4, mine[1].index = 100 - rank;         /* all equal */                \
        MPI_Allreduce(mine, low, 2, mpitype, MPI_MINLOC, MPI_COMM_WORLD);                            \
        MPI_Allreduce(mine, high, 2, mpitype, MPI_MAXLOC, MPI_COMM_WORLD);                           \
        MPI_Scan(mine, &first, 1, mpitype, MPI_MAXLOC, MPI_COMM_WORLD);                              \
        int least = 0, most = 0, so_far = 0;                                                         \
        for (int r = 1; r < size; r++) {                                                             \
            if ((r * 7 + 3) % 11 < (least * 7 + 3) % 11) least = r;                                  \
            if ((r * 7 + 3) % 11 > (most * 7 + 3) % 11) most = r;                                    \
            if (r <= rank) so_far = most;                                                            \
        }                                                                                            \
        CHECK(low[0].index == least && high[0].index == most && first.index == so_far);              \
        CHECK(low[1].index == 101 - size && high[1].index == 101 - size);                            \
        CHECK(low[1].value == (ctype)4);                                                             \
        say("%d " #mpitype " min %d at %d, max %d at %d\n", rank, (int)low[0].value, low[0].index,   \
            (int)high[0].value, high[0].index);                                                      \
    } while (0)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    LOCATE(int, MPI_2INT);
    LOCATE(double, MPI_DOUBLE_INT);
    LOCATE(float, MPI_FLOAT_INT);
    LOCATE(long, MPI_LONG_INT);
    LOCATE(short, MPI_SHORT_INT);
    LOCATE(long double, MPI_LONG_DOUBLE_INT);
    return finish();
}
