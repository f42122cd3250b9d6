/* The same function, called on two paths. With an argument, rank 0 waits for ever. */
#include <mpi.h>

static void exchange(int rank, int size)
{
    int mine = rank, other;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &other, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void first(int rank, int size) { exchange(rank, size); __asm__ volatile(""); }
static __attribute__((noinline)) void second(int rank, int size)
{
    for (int i = 0; i < 3; i++)
        exchange(rank, size);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first(rank, size);
    second(rank, size);
    if (argc > 1 && rank == 0)
        MPI_Recv(&size, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
