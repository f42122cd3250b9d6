/* Bursts of computation with communication between them: `bursts PATTERN ROUNDS WORK`.
   allreduce, barrier, halo (immediate sends and receives), ring (MPI_Sendrecv; bursts of unequal length), clock (reads the
   clock after each allreduce), any (rank 0 receives from anybody). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 3000 };

static double burst(double x, long work)
{
    for (long i = 0; i < work; i++)
        x = x * 0.999999 + 1e-6 / (x + 1);
    return x;
}

static double allreduce(double x)
{
    double sum;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double ring(double x, int rank, int size)
{
    double left;
    MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, &left, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return x + left;
}

/* Messages that do not fit into a call. */
static double halo(double x, int rank, int size)
{
    static double mine[CELLS], theirs[2][CELLS];
    MPI_Request requests[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < CELLS; i++)
        mine[i] = x + i;
    MPI_Irecv(theirs[0], CELLS, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(theirs[1], CELLS, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(mine, CELLS, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(mine, CELLS, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    return mine[CELLS - 1] + theirs[0][CELLS - 1] - theirs[1][0];
}

static double any(double x, int rank, int size)
{
    MPI_Status status;
    double order = 0, got;
    if (rank > 0)
        MPI_Send(&x, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
    else
        for (int i = 1; i < size; i++) {
            MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
            order = order * 10 + status.MPI_SOURCE;
        }
    MPI_Bcast(&order, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return x + order * 1e-9;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *pattern = argc > 1 ? argv[1] : "allreduce";
    int rounds = argc > 2 ? atoi(argv[2]) : 4;
    long work = argc > 3 ? atol(argv[3]) : 100000;
    double x = rank, clock = 0;
    for (int round = 0; round < rounds; round++) {
        int unequal = !strcmp(pattern, "ring");
        x = burst(x, unequal ? work * (1 + (rank * 3 + round) % 4) / 2 : work);
        if (!strcmp(pattern, "allreduce"))
            x += 1e-3 * allreduce(x);
        else if (!strcmp(pattern, "barrier"))
            MPI_Barrier(MPI_COMM_WORLD);
        else if (unequal)
            x = ring(x, rank, size);
        else if (!strcmp(pattern, "halo"))
            x = 1e-3 * halo(x, rank, size);
        else if (!strcmp(pattern, "any"))
            x = any(x, rank, size);
        else {
            x += 1e-3 * allreduce(x);
            clock = MPI_Wtime();
        }
        printf("rank %d round %d: %.17g %.9f\n", rank, round, x, clock);
    }
    MPI_Finalize();
    return 0;
}
