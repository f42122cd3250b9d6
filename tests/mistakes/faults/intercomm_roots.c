/* A broadcast between two sides in which ranks name different roots.
 *
 * ranks: 4
 * exit: 81
 * stderr: collective mismatch: rank 3 names rank 0 as the root, but rank \d (names rank 2 as the root|is the root|gives MPI_PROC_NULL as the root)|collective mismatch: rank \d (names rank 2 as the root|is the root|gives MPI_PROC_NULL as the root), but rank 3 names rank 0 as the root
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, word = 0;
    MPI_Comm side, inter;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    /* The root is rank 2, the second of its side; rank 3 says the first. */
    MPI_Bcast(&word, 1, MPI_INT, rank == 2 ? MPI_ROOT : rank == 0 ? MPI_PROC_NULL : rank == 1 ? 1 : 0, inter);
    MPI_Finalize();
    return 0;
}
