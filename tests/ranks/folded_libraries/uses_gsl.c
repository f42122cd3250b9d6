// GSL keeps an error handler and the seed of random numbers.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_bessel.h>
#include <mpi.h>
#include <stdio.h>

static int errors;

static void handler(const char *reason, const char *file, int line, int code) {
    (void)reason, (void)file, (void)line;
    errors += code != 0;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 2) gsl_set_error_handler(handler);
    else gsl_set_error_handler_off();
    gsl_rng_default_seed = 100 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    gsl_sf_bessel_jl(-1, -1.0);
    gsl_rng *numbers = gsl_rng_alloc(gsl_rng_default);
    printf("rank %d: %d errors, random %lu\n", rank, errors, gsl_rng_get(numbers));
    gsl_rng_free(numbers);
    MPI_Finalize();
    return 0;
}
