/* Conway's game of life, rows shared out, ghost rows exchanged every generation. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 24, COLS = 40, GENERATIONS = 30 };

static int begin(int rank, int size) { return ROWS * rank / size; }

/* The rank that owns a row; ranks without rows are skipped, so a neighbour may be several ranks away. */
static int owner(int row, int size)
{
    int r = 0;
    row = (row + ROWS) % ROWS;
    while (begin(r + 1, size) <= row) r++;
    return r;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int first = begin(rank, size), mine = begin(rank + 1, size) - first;
    char world[ROWS + 2][COLS], next[ROWS + 2][COLS];
    memset(world, 0, sizeof world);
    /* A glider, and an R-pentomino that takes over a thousand generations to settle. */
    int alive[][2] = {{1, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {12, 20}, {12, 21}, {13, 19}, {13, 20}, {14, 20}};
    for (unsigned k = 0; k < sizeof alive / sizeof *alive; k++) {
        int row = alive[k][0] - first;
        if (row >= 0 && row < mine) world[row + 1][alive[k][1]] = 1;
    }

    if (mine > 0) {
        int above = owner(first - 1, size), below = owner(first + mine, size);
        for (int g = 0; g < GENERATIONS; g++) {
            MPI_Sendrecv(world[mine], COLS, MPI_CHAR, below, 0, world[0], COLS, MPI_CHAR, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Sendrecv(world[1], COLS, MPI_CHAR, above, 1, world[mine + 1], COLS, MPI_CHAR, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 1; i <= mine; i++)
                for (int j = 0; j < COLS; j++) {
                    int n = 0;
                    for (int di = -1; di <= 1; di++)
                        for (int dj = -1; dj <= 1; dj++) n += world[i + di][(j + dj + COLS) % COLS];
                    next[i][j] = n == 3 || (n == 4 && world[i][j]);
                }
            memcpy(world[1], next[1], (size_t)mine * COLS);
        }
    }

    int counts[size], starts[size];
    for (int r = 0; r < size; r++) {
        starts[r] = begin(r, size) * COLS;
        counts[r] = begin(r + 1, size) * COLS - starts[r];
    }
    char all[ROWS][COLS];
    MPI_Gatherv(world[1], mine * COLS, MPI_CHAR, all, counts, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
    int population = 0;
    if (rank == 0) {
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < COLS; j++) {
                population += all[i][j];
                putchar(all[i][j] ? '#' : '.');
            }
            putchar('\n');
        }
        printf("%d cells alive after %d generations\n", population, GENERATIONS);
    }
    MPI_Finalize();
    return rank == 0 && population == 0;
}
