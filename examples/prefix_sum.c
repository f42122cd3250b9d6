/* Prefix sums of a distributed array: local sums, one Exscan for what lies to the left, local again. */
#include <mpi.h>
#include <stdio.h>

enum { EACH = 5 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    long values[EACH], sum = 0, left = 0;
    for (int i = 0; i < EACH; i++) {
        long n = (long)rank * EACH + i;
        values[i] = n * n;
        sum += values[i];
    }
    MPI_Exscan(&sum, &left, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) left = 0;                         /* Exscan leaves rank 0 undefined */
    for (int i = 0; i < EACH; i++) values[i] = left += values[i];

    long all[size * EACH];
    MPI_Gather(values, EACH, MPI_LONG, all, EACH, MPI_LONG, 0, MPI_COMM_WORLD);
    int right = 1;
    if (rank == 0)
        for (long n = 0; n < (long)size * EACH; n++) {
            right &= all[n] == n * (n + 1) * (2 * n + 1) / 6;
            printf("%ld%s", all[n], n % EACH == EACH - 1 ? "\n" : " ");
        }
    MPI_Finalize();
    return right ? 0 : 1;
}
