/* The frame of the cases: each is a wrong program, and with `wrong` = 0 the correct one beside it. A program of this folder runs
 * one of them: PROGRAM NAME wrong|right. tests/mistakes/test_check.py reads class, name and number of ranks from the CASE lines. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define NOWHERE MPI_STATUS_IGNORE

static int rank, size;
static int ints[4096], more[4096];
static double reals[4096];
static char bytes[1 << 16];
static MPI_Request request, requests[16];
static MPI_Status status;

static struct { const char *name; void (*run)(int); int raw; } cases[256];
static int known;

#define ENTRY(title, is_raw) \
    static void case_##title(int wrong); \
    __attribute__((constructor)) static void enter_##title(void) { \
        cases[known].name = #title; \
        cases[known].raw = is_raw; \
        cases[known++].run = case_##title; \
    } \
    static void case_##title(int wrong)
/* CASE(class of the mistake, name, ranks) */
#define CASE(class, title, ranks) ENTRY(title, 0)
/* The same, for programs that call MPI_Init and MPI_Finalize themselves. */
#define RAW(class, title, ranks) ENTRY(title, 1)
/* A program that is correct whichever messages its wildcard receives get; `wrong` has no meaning. */
#define RIGHT(title) ENTRY(title, 0)

int main(int argc, char **argv) {
    int wrong = argc > 2 && strcmp(argv[2], "wrong") == 0;
    for (int i = 0; i < known; i++) {
        if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0) {
            if (!cases[i].raw) {
                MPI_Init(&argc, &argv);
                MPI_Comm_rank(W, &rank);
                MPI_Comm_size(W, &size);
            }
            cases[i].run(wrong);
            if (!cases[i].raw) MPI_Finalize();
            return 0;
        }
    }
    fprintf(stderr, "no such case\n");
    return 99;
}
