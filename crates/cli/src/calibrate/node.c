/* The speed of one core of this node, as keys of mpirage's platform files. On the node:
 *
 *     cc -O3 -march=native -ffp-contract=off node.c -o node && ./node
 *
 * Run it on an idle node. To see what cores share, run it on all of them at once.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHAINS = 4, COUNTED = 8, LANES = 64, SAMPLES = 25, WORDS = 1 << 23 };

static volatile double factor = 0.9999999, term = 1e-7, sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* Chains of multiplications and additions, each of which waits for the operation before. mpirage measures the machine on which it runs with
 * eight, two in a register; four take as long, also where a compiler makes no vector code of them. */
static void ordinary(long rounds)
{
    double x[CHAINS], f = factor, t = term;
    for (int i = 0; i < CHAINS; i++)
        x[i] = 1;
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < CHAINS; i++)
            x[i] = x[i] * f + t;
    for (int i = 0; i < CHAINS; i++)
        sink = x[i];
}

/* So many chains that all vector units work. */
static void vectors(long rounds)
{
    double x[LANES], f = factor, t = term;
    for (int i = 0; i < LANES; i++)
        x[i] = 1;
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < LANES; i++)
            x[i] = x[i] * f + t;
    for (int i = 0; i < LANES; i++)
        sink = x[i];
}

static double *a, *b, *c;

static void memory(long rounds)
{
    for (long round = 0; round < rounds; round++) {
        double f = factor;
        for (long i = 0; i < WORDS; i++)
            a[i] = b[i] + f * c[i];
        sink = a[round % WORDS];
    }
}

/* Seconds of one round: the fastest sample counts, because disturbances only slow it down. */
static double seconds(void (*loop)(long), long rounds)
{
    double best = 1e30;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double start = now();
        loop(rounds);
        double took = (now() - start) / rounds;
        if (took < best)
            best = took;
    }
    return best;
}

int main(void)
{
    a = malloc(WORDS * sizeof *a);
    b = malloc(WORDS * sizeof *b);
    c = malloc(WORDS * sizeof *c);
    if (!a || !b || !c) {
        fprintf(stderr, "node: no memory for three arrays of 64 MiB\n");
        return 1;
    }
    for (long i = 0; i < WORDS; i++)
        a[i] = b[i] = c[i] = 1;
    printf("speed = \"%.2fGf\"\n", 2e-9 * LANES / seconds(vectors, 200000));
    printf("sustained = \"%.2fGf\"\n", 2e-9 * COUNTED / seconds(ordinary, 1000000));
    printf("# in [node], if the file has it: core-bandwidth = \"%.1fGBps\"\n", 24e-9 * WORDS / seconds(memory, 1));
    return 0;
}
