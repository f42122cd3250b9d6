/* The regions of regions.c, with names. */

#include <mpi.h>
#include <mpirage/regions.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mpirage_region_begin("time loop");
    for (int turn = 0; turn < 3; turn++) {
        mpirage_region_begin("stencil");
        usleep(rank == 0 ? 5000 : 1000);
        mpirage_region_begin("halo exchange");
        MPI_Barrier(MPI_COMM_WORLD);
        mpirage_region_end("halo exchange");
        mpirage_region_end("stencil");
        usleep(2000);
    }
    mpirage_region_end("time loop");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
