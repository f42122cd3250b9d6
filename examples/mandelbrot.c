/* The Mandelbrot set in characters: rows are handed out on demand, because some cost more than others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 25, COLS = 64, LIMIT = 500, TAG_ROW = 1, TAG_DONE };

static void compute(int row, char *line)
{
    static const char shade[] = " .:-=+*%@#";
    for (int col = 0; col < COLS; col++) {
        double cx = -2.25 + col * 0.046875, cy = -1.171875 + row * 0.09765625, x = 0, y = 0;
        int n = 0;
        while (n < LIMIT && x * x + y * y < 4) {
            double t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
            n++;
        }
        line[col] = n == LIMIT ? '#' : shade[n % 9];
    }
}

/* A worker's message is its row number followed by the row; row -1 means "I am new here". */
struct result {
    int row;
    char line[COLS];
};

static void serve(int workers, char image[ROWS][COLS])
{
    for (int next = 0, done = 0; done < workers;) {
        struct result r;
        MPI_Status s;
        MPI_Recv(&r, sizeof r, MPI_BYTE, MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, &s);
        if (r.row >= 0) memcpy(image[r.row], r.line, COLS);
        int row = next < ROWS ? next++ : -1;
        done += row < 0;
        MPI_Send(&row, 1, MPI_INT, s.MPI_SOURCE, TAG_ROW, MPI_COMM_WORLD);
    }
}

static void work(void)
{
    struct result r = {.row = -1};
    for (;;) {
        MPI_Send(&r, sizeof r, MPI_BYTE, 0, TAG_DONE, MPI_COMM_WORLD);
        MPI_Recv(&r.row, 1, MPI_INT, 0, TAG_ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (r.row < 0) return;
        compute(r.row, r.line);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, inside = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        work();
    } else {
        char image[ROWS][COLS];
        if (size > 1) serve(size - 1, image);
        else for (int row = 0; row < ROWS; row++) compute(row, image[row]);
        for (int row = 0; row < ROWS; row++) {
            printf("%.*s|\n", COLS, image[row]);
            for (int col = 0; col < COLS; col++) inside += image[row][col] == '#';
        }
    }
    MPI_Finalize();
    return rank == 0 && inside < 100;
}
