/* A program may finalize properly and still say no: exit code 5 from all ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("the answer is no\n");
    MPI_Finalize();
    return 5;
}
