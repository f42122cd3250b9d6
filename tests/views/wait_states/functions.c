/* Two functions that compute and do not call MPI; one computes three times as long as the other. */
#include <mpi.h>

static double work(int millions)
{
    volatile double sum = 0;
    for (int i = 0; i < millions * 1000000; i++)
        sum += i * 0.5;
    return sum;
}

__attribute__((noinline)) double smooth(void)
{
    return work(3) + 1;
}

__attribute__((noinline)) double residual(void)
{
    return work(1) + 2;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double sum = 0, all;
    for (int i = 0; i < 40; i++) {
        sum += smooth();
        sum += residual();
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all < 0;
}
