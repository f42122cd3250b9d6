/* What a rank posts and waits for inside of Open MPI's collectives; ../calls.c performs them.
 *
 * Collectives of Open MPI send and receive through a table of functions, `mca_pml`, and wait through another, `ompi_request_functions`.
 * Both are symbols of its library; this file replaces entries by functions that take a note and call the original. The component
 * pml/monitoring works in the same way, but Open MPI 4.1 withdraws its performance variables when MPI_Init ends. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../calls.h"

/* What this rank did in the current case, as text. */
static FILE *out;
static char *text;
static size_t text_length;
static int tracing, operations;

/* Operations that nothing has waited for yet: their requests and their numbers. */
static struct pending {
    void *request;
    int number;
} *pending;
static int pending_count, pending_room;

static void note(char kind, int peer, size_t count, MPI_Datatype type)
{
    int element;
    PMPI_Type_size(type, &element);
    fprintf(out, " %c%d:%zu", kind, peer, count * element);
    operations++;
}

static void note_request(void *request)
{
    if (pending_count == pending_room) {
        pending_room = 2 * pending_room + 64;
        pending = realloc(pending, pending_room * sizeof *pending);
    }
    pending[pending_count++] = (struct pending){request, operations - 1};
}

/* Appends the number of the operation, if the request is one of this case. Says whether it was. */
static int note_wait(void *request, int first)
{
    for (int i = 0; i < pending_count; i++)
        if (pending[i].request == request) {
            fprintf(out, first ? " w%d" : ",%d", pending[i].number);
            pending[i] = pending[--pending_count];
            return 1;
        }
    return 0;
}

/* Prototypes of the functions in the tables of Open MPI 4.1; places in the tables. */
typedef int (*receive_function)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, void *);
typedef int (*isend_function)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
typedef int (*send_function)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
typedef int (*wait_function)(MPI_Request *, MPI_Status *);
typedef int (*wait_all_function)(size_t, MPI_Request *, MPI_Status *);
typedef int (*wait_any_function)(size_t, MPI_Request *, int *, MPI_Status *);
enum { IRECV_INIT = 6, IRECV = 7, RECV = 8, ISEND_INIT = 9, ISEND = 10, SEND = 11, WAIT = 4, WAIT_ANY = 5, WAIT_ALL = 6, SYNCHRONOUS = 0 };

static receive_function real_irecv_init, real_irecv, real_recv;
static isend_function real_isend_init, real_isend;
static send_function real_send;
static wait_function real_wait;
static wait_all_function real_wait_all;
static wait_any_function real_wait_any;

static void note_irecv(int from, size_t count, MPI_Datatype type, void *request)
{
    if (tracing) {
        note('r', from, count, type);
        note_request(*(void **)request);
    }
}

static void note_isend(int mode, int to, size_t count, MPI_Datatype type, void *request)
{
    if (tracing) {
        note(mode == SYNCHRONOUS ? 'y' : 's', to, count, type);
        note_request(*(void **)request);
    }
}

static int traced_irecv(void *buffer, size_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm, void *request)
{
    int result = real_irecv(buffer, count, type, from, tag, comm, request);
    note_irecv(from, count, type, request);
    return result;
}

/* Persistent requests: collectives start them all, in order, after they have made the last one. */
static int traced_irecv_init(void *buffer, size_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm, void *request)
{
    int result = real_irecv_init(buffer, count, type, from, tag, comm, request);
    note_irecv(from, count, type, request);
    return result;
}

static int traced_isend_init(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm, MPI_Request *request)
{
    int result = real_isend_init(buffer, count, type, to, tag, mode, comm, request);
    note_isend(mode, to, count, type, request);
    return result;
}

static int traced_recv(void *buffer, size_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm, void *status)
{
    if (tracing)
        note('R', from, count, type);
    return real_recv(buffer, count, type, from, tag, comm, status);
}

static int traced_isend(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm, MPI_Request *request)
{
    int result = real_isend(buffer, count, type, to, tag, mode, comm, request);
    note_isend(mode, to, count, type, request);
    return result;
}

static int traced_send(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode, MPI_Comm comm)
{
    if (tracing)
        note(mode == SYNCHRONOUS ? 'Y' : 'S', to, count, type);
    return real_send(buffer, count, type, to, tag, mode, comm);
}

static int traced_wait(MPI_Request *request, MPI_Status *status)
{
    if (tracing)
        note_wait(*request, 1);
    return real_wait(request, status);
}

static int traced_wait_all(size_t count, MPI_Request *requests, MPI_Status *statuses)
{
    for (size_t i = 0, first = 1; tracing && i < count; i++)
        first &= !note_wait(requests[i], first);
    return real_wait_all(count, requests, statuses);
}

/* Which one completes first is left to chance. */
static int traced_wait_any(size_t count, MPI_Request *requests, int *index, MPI_Status *status)
{
    void *before[count];
    memcpy(before, requests, count * sizeof *requests);
    int result = real_wait_any(count, requests, index, status);
    if (tracing && *index >= 0 && (size_t)*index < count)
        note_wait(before[*index], 1);
    return result;
}

static void *replace(void **table, int place, void *function)
{
    void *before = table[place];
    table[place] = function;
    return before;
}

void trace_start(int rank, int size)
{
    (void)rank;
    (void)size;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    if (strncmp(version, "Open MPI v4.1", 13))
        fail("knows the tables of Open MPI v4.1, not of", version);
    void **messages = dlsym(RTLD_DEFAULT, "mca_pml"), **requests = dlsym(RTLD_DEFAULT, "ompi_request_functions");
    if (!messages || !requests)
        fail("does not find", "mca_pml and ompi_request_functions");
    real_irecv_init = (receive_function)replace(messages, IRECV_INIT, (void *)traced_irecv_init);
    real_isend_init = (isend_function)replace(messages, ISEND_INIT, (void *)traced_isend_init);
    real_irecv = (receive_function)replace(messages, IRECV, (void *)traced_irecv);
    real_recv = (receive_function)replace(messages, RECV, (void *)traced_recv);
    real_isend = (isend_function)replace(messages, ISEND, (void *)traced_isend);
    real_send = (send_function)replace(messages, SEND, (void *)traced_send);
    real_wait = (wait_function)replace(requests, WAIT, (void *)traced_wait);
    real_wait_any = (wait_any_function)replace(requests, WAIT_ANY, (void *)traced_wait_any);
    real_wait_all = (wait_all_function)replace(requests, WAIT_ALL, (void *)traced_wait_all);
}

void trace_begin(void)
{
    out = open_memstream(&text, &text_length);
    operations = pending_count = 0;
    tracing = 1;
}

void trace_end(FILE *file)
{
    tracing = 0;
    fclose(out);
    fputs(text, file);
    free(text);
}
