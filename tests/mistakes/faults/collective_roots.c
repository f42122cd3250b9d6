/* Every rank takes itself for the root.
 *
 * ranks: 3
 * exit: 81
 * stderr: rank (\d) was stopped in MPI_Bcast at {here} in main: collective mismatch: rank \1 names root \1, but rank (\d) names root \2, on MPI_COMM_WORLD
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, v = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&v, 1, MPI_INT, rank, MPI_COMM_WORLD); /* here */
    MPI_Finalize();
    return 0;
}
