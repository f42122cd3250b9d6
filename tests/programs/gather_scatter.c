/* Gather and Scatter at every root, with and without IN_PLACE, large and small. */
#include "check.h"

enum { LARGE = 5000 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *all = malloc((size_t)size * LARGE * sizeof *all), *mine = malloc(LARGE * sizeof *mine);
    int counts[] = {1, 3, LARGE};
    for (int root = 0; root < size; root++)
        for (int k = 0; k < (root < 2 ? 3 : 2); k++) {
            int n = counts[k], wrong = 0;
            for (int i = 0; i < n; i++) mine[i] = rank * 10000 + i;
            memset(all, 0, (size_t)size * n * sizeof *all);
            MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
            if (rank == root)
                for (int r = 0; r < size; r++)
                    for (int i = 0; i < n; i++) wrong += all[r * n + i] != r * 10000 + i;
            CHECK(wrong == 0);
            if (rank == root)
                for (int i = 0; i < size * n; i++) all[i] += root + 1;
            memset(mine, 0, n * sizeof *mine);
            MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < n; i++) wrong += mine[i] != rank * 10000 + i + root + 1;
            CHECK(wrong == 0);
            if (k == 0) say("%d root %d: %d\n", rank, root, mine[0]);
        }

    int root = size - 1;
    int *line = malloc(size * sizeof *line), one = rank * rank;
    line[rank] = rank * rank;
    if (rank == root) MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, line, 1, MPI_INT, root, MPI_COMM_WORLD);
    else MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
        for (int r = 0; r < size; r++) CHECK(line[r] == r * r);
    if (rank == root)
        for (int r = 0; r < size; r++) line[r] = r + 5;
    if (rank == root) MPI_Scatter(line, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, root, MPI_COMM_WORLD);
    else MPI_Scatter(NULL, 0, MPI_INT, &one, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK((rank == root ? line[rank] : one) == rank + 5);
    free(all), free(mine), free(line);
    return finish();
}
