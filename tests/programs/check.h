/* What the test programs share. CHECK counts a mistake; say() adds to this rank's text; finish() prints the text of
 * all ranks in rank order on rank 0, finalizes, and returns main's exit code: 1 everywhere if any rank saw a mistake. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;
static char *said;
static size_t said_len, said_room;

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            failures++;                                                                               \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, rank, #condition);  \
        }                                                                                             \
    } while (0)

/* Takes what printf takes. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (said_len + n + 1 > said_room) {
        said_room = 2 * (said_len + n + 1);
        said = (char *)realloc(said, said_room);
    }
    memcpy(said + said_len, text, n + 1);
    said_len += n;
}

static void learn_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

__attribute__((unused)) static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    learn_rank();
}

/* The barrier keeps reports away from the wildcard receives of a slower rank. */
__attribute__((unused)) static int finish(void)
{
    const int tag = 9999;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        int head[2] = {(int)said_len, failures};
        MPI_Send(head, 2, MPI_INT, 0, tag, MPI_COMM_WORLD);
        MPI_Send(said, head[0], MPI_CHAR, 0, tag, MPI_COMM_WORLD);
        MPI_Recv(&failures, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        fwrite(said, 1, said_len, stdout);
        for (int r = 1; r < size; r++) {
            int head[2];
            MPI_Recv(head, 2, MPI_INT, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            char *text = (char *)malloc(head[0] + 1);
            MPI_Recv(text, head[0], MPI_CHAR, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fwrite(text, 1, head[0], stdout);
            free(text);
            failures += head[1];
        }
        printf("mistakes: %d\n", failures);
        for (int r = 1; r < size; r++) MPI_Send(&failures, 1, MPI_INT, r, tag, MPI_COMM_WORLD);
    }
    free(said);
    MPI_Finalize();
    return failures ? 1 : 0;
}
#endif
