/* Sums and products of complex numbers with integer parts. */
#include "check.h"
#include <complex.h>

int main(int argc, char **argv)
{
    start(&argc, &argv);
    double complex d = rank + 1 + (rank % 3) * I, sum, product, want = 0, turned = 1, turn = rank % 2 ? I : -1;
    MPI_Allreduce(&d, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&turn, &product, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        want += r + 1 + (r % 3) * I;
        turned *= r % 2 ? I : -1;
    }
    CHECK(sum == want && product == turned);
    float complex f = (float complex)d, total;
    MPI_Allreduce(&f, &total, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == (float complex)want);
    say("%d sum %.0f%+.0fi, product %d %d\n", rank, creal(sum), cimag(sum), (int)creal(product), (int)cimag(product));
    return finish();
}
