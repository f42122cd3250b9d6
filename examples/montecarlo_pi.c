/* Pi by throwing darts. All ranks share one random sequence and each jumps to its own part of it, so the
 * answer is the same at any rank count. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { DARTS = 200000 };

static const uint64_t MUL = 6364136223846793005u, ADD = 1442695040888963407u, SEED = 42;

/* The state after n steps of x -> MUL x + ADD, in log2(n) multiplications. */
static uint64_t jump(uint64_t x, uint64_t n)
{
    uint64_t mul = MUL, add = ADD, all_mul = 1, all_add = 0;
    for (; n; n >>= 1) {
        if (n & 1) {
            all_mul *= mul;
            all_add = all_add * mul + add;
        }
        add *= mul + 1;
        mul *= mul;
    }
    return all_mul * x + all_add;
}

static uint64_t step(uint64_t *x)
{
    *x = *x * MUL + ADD;
    return *x >> 34;                                 /* the 30 best bits */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    uint64_t first = (uint64_t)DARTS * rank / size, last = (uint64_t)DARTS * (rank + 1) / size;
    uint64_t state = jump(SEED, 2 * first);
    uint64_t hits = 0, all = 0, radius = (uint64_t)1 << 30;
    for (uint64_t i = first; i < last; i++) {
        uint64_t x = step(&state), y = step(&state);
        hits += x * x + y * y < radius * radius;
    }
    MPI_Reduce(&hits, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);

    int right = 1;
    if (rank == 0) {
        double pi = 4.0 * (double)all / DARTS;
        printf("%lu of %d darts hit, pi is about %.5f\n", (unsigned long)all, DARTS, pi);
        right = pi > 3.12 && pi < 3.16;
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
