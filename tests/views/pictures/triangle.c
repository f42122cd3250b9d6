/* Each row of a triangular matrix is longer than the one before. A rank has a block of rows, or with CYCLIC every n-th row. The
   program says how much it computes: pictures are the same on each computer. */

#include <mpi.h>
#include <smpi/smpi.h>

enum { ROWS = 192, STEPS = 20, FLOPS = 100000 };

#ifdef CYCLIC
static int row(int at, int rank, int size) { return at * size + rank; }
#else
static int row(int at, int rank, int size) { return rank * (ROWS / size) + at; }
#endif

static void multiply(int rank, int size)
{
    for (int at = 0; at < ROWS / size; at++)
        smpi_execute_flops(FLOPS * (row(at, rank, size) + 1.0));
}

int main(int argc, char **argv)
{
    int rank, size;
    double mine = 1, norm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        multiply(rank, size);
        MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
