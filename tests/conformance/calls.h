/* Between calls.c, which performs collectives, and the part that knows how to look into one MPI library. */
#include <stdio.h>

/* Ends the program with a message. */
void fail(const char *what, const char *name);
/* Called once, after MPI_Init. */
void trace_start(int rank, int size);
/* Called around each collective. The second one writes what this rank did as tokens, each with a blank in front. */
void trace_begin(void);
void trace_end(FILE *out);
