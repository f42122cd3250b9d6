/* Ends rank 1 in the way that the argument names; the line of each carries its name. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int deep(volatile int n)
{
    volatile char room[1000];
    room[n % 1000] = (char)n;
    return deep(n + 1) + room[3]; /* overflow */
}

static void own_handler(int number)
{
    (void)number;
    printf("handled\n");
    fflush(stdout);
    _Exit(7);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int rank;
    volatile int zero = 0, one = 1;
    void (*volatile nowhere)(void) = NULL;
    volatile int *volatile null = NULL;
    if (!strcmp(how, "before")) *null = 1; /* before */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        if (!strcmp(how, "segfault")) *null = 1; /* segfault */
        if (!strcmp(how, "abort")) abort(); /* abort */
        if (!strcmp(how, "memcpy")) memcpy((void *)null, argv[1], strlen(argv[1])); /* memcpy */
        if (!strcmp(how, "divide")) zero = one / zero; /* divide */
        if (!strcmp(how, "trap")) __builtin_trap(); /* trap */
        if (!strcmp(how, "overflow")) zero = deep(0);
        if (!strcmp(how, "nowhere")) nowhere(); /* nowhere */
        if (!strcmp(how, "handled")) signal(SIGSEGV, own_handler), *null = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
