/* What may not be inside a sampled block: the argument says which. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    switch (atoi(argv[1])) {
    case 0:
        SMPI_SAMPLE_LOCAL(2) { MPI_Barrier(MPI_COMM_WORLD); }
        break;
    case 1:
        SMPI_SAMPLE_LOCAL(2) {
            SMPI_SAMPLE_GLOBAL(2) {}
        }
        break;
    case 2:
        SMPI_SAMPLE_LOCAL(2) { sleep(1); }
        break;
    case 3:
        SMPI_SAMPLE_LOCAL(2) { smpi_execute_flops(1); }
        break;
    case 4: smpi_execute(-1); break;
    case 5: smpi_execute_flops(0.0 / atof("0")); break;
    }
    MPI_Finalize();
    return 0;
}
