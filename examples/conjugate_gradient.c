/* Conjugate gradient on the matrix [-1 4 -1], whose solution here is x[i] = i: a halo and two dot products a step. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 96 };

static int rank, size, mine, left, right;

/* y = A p, with p[0] and p[mine+1] as ghosts. */
static void multiply(double *p, double *y)
{
    MPI_Sendrecv(&p[mine], 1, MPI_DOUBLE, right, 0, &p[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 1, &p[mine + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= mine; i++) y[i] = 4 * p[i] - p[i - 1] - p[i + 1];
}

static double dot(const double *a, const double *b)
{
    double part = 0, sum;
    for (int i = 1; i <= mine; i++) part += a[i] * b[i];
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = N * rank / size;
    mine = N * (rank + 1) / size - first;
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

    double *x = calloc(mine + 2, sizeof *x), *r = calloc(mine + 2, sizeof *r);
    double *p = calloc(mine + 2, sizeof *p), *ap = calloc(mine + 2, sizeof *ap);
    for (int i = 1; i <= mine; i++) {
        int n = first + i - 1;                       /* b = A x for x[n] = n; beyond both ends x is 0 */
        r[i] = p[i] = 4.0 * n - (n > 0 ? n - 1 : 0) - (n < N - 1 ? n + 1 : 0);
    }

    int steps = 0;
    double rr = dot(r, r);
    for (; rr > 1e-16 && steps < N; steps++) {
        multiply(p, ap);
        double alpha = rr / dot(p, ap);
        for (int i = 1; i <= mine; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        double next = dot(r, r), beta = next / rr;
        for (int i = 1; i <= mine; i++) p[i] = r[i] + beta * p[i];
        rr = next;
    }

    double error = 0, worst;
    long sum = 0, total;
    for (int i = 1; i <= mine; i++) {
        error = fmax(error, fabs(x[i] - (first + i - 1)));
        sum += lround(x[i]);
    }
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d unknowns, %d steps, sum of the solution %ld, error %s 1e-6\n", N, steps, total, worst < 1e-6 ? "below" : "ABOVE");
    free(x), free(r), free(p), free(ap);
    MPI_Finalize();
    return worst < 1e-6 ? 0 : 1;
}
