// A library that keeps state: variables of all kinds, a constructor, a handler at the exit, and calls of MPI.
#include "state.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int state_level = 3;
__thread int state_local = 7;
static double values[64];
static int count;
static MPI_Comm communicator = MPI_COMM_NULL;
static char *name;

__attribute__((constructor)) static void begin(void) { state_level *= 2; }

static void end(void) {
    printf("end: %s with %d values, level %d\n", name, count, state_level);
    free(name);
}

void state_open(MPI_Comm over, const char *title) {
    MPI_Comm_dup(over, &communicator);
    name = strdup(title);
    atexit(end);
}

void state_push(double value) {
    values[count++ % 64] = value;
    state_local += count;
}

double state_total(void) {
    double mine = 0, all;
    for (int i = 0; i < count && i < 64; i++) mine += values[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, communicator);
    return all + 1000 * mine;
}

void state_close(void) { MPI_Comm_free(&communicator); }
