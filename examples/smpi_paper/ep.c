/* The "embarrassingly parallel" kernel of the NAS benchmarks, in short: pairs of Gaussian deviates, counted in square annuli.
 *
 *     ep M PERCENT      2^M pairs, in blocks of 2^16; each rank executes PERCENT of its blocks and skips the others
 *
 * Sums and counts are right only at 100 %. Prints the seconds from start to end, as MPI_Wtime sees them. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_BITS 16
#define ANNULI 10

typedef unsigned long long word;

static const word MASK = (1ULL << 46) - 1, MULTIPLIER = 1220703125ULL, SEED = 271828183ULL;

static word times(word a, word b) { return (word)((unsigned __int128)a * b) & MASK; }

/* MULTIPLIER to the power of n. */
static word power(word n) {
    word result = 1, factor = MULTIPLIER;
    for (; n; n >>= 1, factor = times(factor, factor))
        if (n & 1) result = times(result, factor);
    return result;
}

static double uniform(word *state) {
    *state = times(*state, MULTIPLIER);
    return ldexp((double)*state, -46);
}

static void block(word number, double *sums, double *counts) {
    word state = times(SEED, power(number << (BLOCK_BITS + 1)));
    for (int pair = 0; pair < 1 << BLOCK_BITS; pair++) {
        double x = 2 * uniform(&state) - 1, y = 2 * uniform(&state) - 1, t = x * x + y * y;
        if (t > 1) continue;
        double scale = sqrt(-2 * log(t) / t), a = fabs(x * scale), b = fabs(y * scale);
        counts[(int)fmax(a, b)] += 1;
        sums[0] += x * scale;
        sums[1] += y * scale;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int bits = argc > 1 ? atoi(argv[1]) : 22, percent = argc > 2 ? atoi(argv[2]) : 100;
    word blocks = bits > BLOCK_BITS ? 1ULL << (bits - BLOCK_BITS) : 1;
    word first = blocks * rank / size, last = blocks * (rank + 1) / size;
    double mine[2 + ANNULI] = {0}, all[2 + ANNULI], begin = MPI_Wtime();
    for (word number = first; number < last; number++)
        SMPI_SAMPLE_LOCAL((last - first) * percent / 100) { block(number, mine, mine + 2); }
    MPI_Allreduce(mine, all, 2 + ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    if (rank == 0) {
        double pairs = 0;
        for (int annulus = 0; annulus < ANNULI; annulus++) pairs += all[2 + annulus];
        printf("pairs %.0f sums %.10e %.10e seconds %.6f\n", pairs, all[0], all[1], seconds);
    }
    MPI_Finalize();
    return 0;
}
