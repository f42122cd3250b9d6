/* A computation that writes checkpoints and continues from the last one. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    enum { N = 50, STEPS = 12, EVERY = 5 };
    MPI_File fh;
    double cells[N], again[N];
    int step;
    new_scratch();
    MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh);
    for (int i = 0; i < N; i++)
        cells[i] = rank + i;
    for (step = 0; step < STEPS; step++) {
        for (int i = 0; i < N; i++)
            cells[i] = cells[i] * 0.5 + step;
        if (step % EVERY == EVERY - 1) {
            MPI_File_write_at_all(fh, sizeof(int) + rank * sizeof cells, cells, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
            if (rank == 0)
                MPI_File_write_at(fh, 0, &step, 1, MPI_INT, MPI_STATUS_IGNORE);
        }
    }
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    MPI_File_read_at_all(fh, 0, &step, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(fh, sizeof(int) + rank * sizeof again, again, N, MPI_DOUBLE, MPI_STATUS_IGNORE);
    say("continues after step %d\n", step);
    for (step++; step < STEPS; step++)
        for (int i = 0; i < N; i++)
            again[i] = again[i] * 0.5 + step;
    CHECK(memcmp(cells, again, sizeof cells) == 0);
    say("%.6f %.6f\n", again[0], again[N - 1]);
    close_and_delete(&fh);
    return finish();
}
