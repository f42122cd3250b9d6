// An exception that leaves a sampled block ends it.
#include <mpi.h>
#include <smpi/smpi.h>
#include <cstdio>
#include <stdexcept>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int executed = 0, caught = 0;
    for (int i = 0; i < 6; i++) {
        try {
            SMPI_SAMPLE_LOCAL(3) {
                executed++;
                if (i == 1) throw std::runtime_error("left");
            }
        } catch (const std::exception &) {
            caught++;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    std::printf("executed %d caught %d\n", executed, caught);
    MPI_Finalize();
}
