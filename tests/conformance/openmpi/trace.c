/* Performs collectives with Open MPI and writes what each rank posts and waits for inside of them.
 *
 *   mpirun -n P trace CASES FOLDER
 *
 * CASES has one case per line, as tests/conformance/openmpi/compare.py writes them:
 *
 *   ID RANKS COLLECTIVE ROOT BYTES ELEMENT OPERATOR COUNTS PLACE
 *
 * Lines for other numbers of ranks are skipped. BYTES is the whole vector, or the block of one rank or pair, as in `Shape::bytes` of crates/collectives. ELEMENT is the size of an
 * element in bytes: 1, 4 or 8. OPERATOR: sum (built in), user (commutes), ordered (does not commute). COUNTS of v- and w-forms: equal or
 * ragged (0, 1 or 2 times BYTES). PLACE: apart or in-place. Names of non-blocking collectives begin with i.
 *
 * Rank R writes FOLDER/R, a line per case: ID R TOKEN …, in the order in which the rank did it:
 *
 *   S3:64  blocking send of 64 bytes to rank 3     s3:64  non-blocking send     Y3:64, y3:64  the same in synchronous mode
 *   R3:64  blocking receive                        r3:64  non-blocking receive
 *   w0,2   waits for the operations 0 and 2 of this case (counted from 0, blocking ones included)
 *
 * Collectives of Open MPI send and receive through a table of functions, `mca_pml`, and wait through another, `ompi_request_functions`.
 * Both are symbols of its library; this program replaces entries by functions that take a note and call the original. The component
 * pml/monitoring works in the same way, but Open MPI 4.1 withdraws its performance variables when MPI_Init ends. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    long id;
    char collective[40], operator_name[16], counts[16], place[16];
    int ranks, root, element, in_place;
    long bytes;
};

static int rank, size;
static char *send_buffer, *receive_buffer;
static size_t send_room, receive_room;
static int *send_counts, *send_offsets, *receive_counts, *receive_offsets;
static MPI_Datatype *types;
static MPI_Aint *send_places, *receive_places;
static MPI_Op user_operator, ordered_operator;
static MPI_Comm grid;
static int neighbors;

/* Results do not matter. */
static void keep_second(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "trace: %s %s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static MPI_Datatype type_of(int element)
{
    return element == 1 ? MPI_SIGNED_CHAR : element == 4 ? MPI_INT : MPI_DOUBLE;
}

static MPI_Op operator_of(const struct call *call)
{
    if (!strcmp(call->operator_name, "sum"))
        return MPI_SUM;
    return strcmp(call->operator_name, "user") ? ordered_operator : user_operator;
}

/* Elements from one rank to another. The forms with one count per rank use the column 0. */
static int count_of(const struct call *call, int from, int to)
{
    int elements = call->bytes / call->element;
    return strcmp(call->counts, "ragged") ? elements : elements * ((from + 2 * to) % 3);
}

static char *grown(char *buffer, size_t *room, size_t wanted)
{
    if (wanted > *room) {
        free(buffer);
        buffer = calloc(wanted, 1);
        *room = wanted;
    }
    return buffer;
}

/* Fills the counts and offsets, in elements, and makes room for the largest thing that a rank holds. */
static void prepare(const struct call *call, int per_pair, int blocks)
{
    size_t sent = 0, received = 0;
    for (int peer = 0; peer < blocks; peer++) {
        send_counts[peer] = per_pair ? count_of(call, rank, peer) : count_of(call, peer, 0);
        receive_counts[peer] = per_pair ? count_of(call, peer, rank) : count_of(call, peer, 0);
        send_offsets[peer] = sent;
        receive_offsets[peer] = received;
        send_places[peer] = (MPI_Aint)sent * call->element;
        receive_places[peer] = (MPI_Aint)received * call->element;
        types[peer] = type_of(call->element);
        sent += send_counts[peer];
        received += receive_counts[peer];
    }
    size_t least = (size_t)2 * call->bytes + 64;
    send_buffer = grown(send_buffer, &send_room, sent * call->element + least);
    receive_buffer = grown(receive_buffer, &receive_room, received * call->element + least);
}

/* Offsets of the w-forms are in bytes. */
static int byte_send_offsets[4096], byte_receive_offsets[4096];

/* One function in its blocking form, or, with a request, in its non-blocking form. */
#define EITHER(name, lower_name, ...)                                                                                                      \
    if (!strcmp(collective, #lower_name))                                                                                                  \
        return request ? MPI_I##lower_name(__VA_ARGS__, request) : MPI_##name(__VA_ARGS__);

static int perform(const struct call *call, const char *collective, MPI_Request *request)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Datatype type = type_of(call->element);
    MPI_Op op = operator_of(call);
    int n = call->bytes / call->element, root = call->root, here = rank == root;
    int mine = count_of(call, rank, 0);
    void *from = call->in_place ? MPI_IN_PLACE : send_buffer, *to = receive_buffer;
    /* In a rooted collective only the root can be in place. */
    void *root_from = here ? from : send_buffer;
    void *root_to = call->in_place && here ? MPI_IN_PLACE : to;

    EITHER(Barrier, barrier, world)
    EITHER(Bcast, bcast, to, n, type, root, world)
    EITHER(Gather, gather, root_from, n, type, to, n, type, root, world)
    EITHER(Gatherv, gatherv, root_from, mine, type, to, receive_counts, receive_offsets, type, root, world)
    EITHER(Scatter, scatter, send_buffer, n, type, root_to, n, type, root, world)
    EITHER(Scatterv, scatterv, send_buffer, send_counts, send_offsets, type, root_to, mine, type, root, world)
    EITHER(Allgather, allgather, from, n, type, to, n, type, world)
    EITHER(Allgatherv, allgatherv, from, mine, type, to, receive_counts, receive_offsets, type, world)
    EITHER(Alltoall, alltoall, from, n, type, to, n, type, world)
    EITHER(Alltoallv, alltoallv, from, send_counts, send_offsets, type, to, receive_counts, receive_offsets, type, world)
    EITHER(Alltoallw, alltoallw, from, send_counts, byte_send_offsets, types, to, receive_counts, byte_receive_offsets, types, world)
    EITHER(Reduce, reduce, root_from, to, n, type, op, root, world)
    EITHER(Allreduce, allreduce, from, to, n, type, op, world)
    EITHER(Reduce_scatter, reduce_scatter, from, to, receive_counts, type, op, world)
    EITHER(Reduce_scatter_block, reduce_scatter_block, from, to, n, type, op, world)
    EITHER(Scan, scan, from, to, n, type, op, world)
    EITHER(Exscan, exscan, from, to, n, type, op, world)
    EITHER(Neighbor_allgather, neighbor_allgather, send_buffer, n, type, to, n, type, grid)
    EITHER(Neighbor_allgatherv, neighbor_allgatherv, send_buffer, n, type, to, receive_counts, receive_offsets, type, grid)
    EITHER(Neighbor_alltoall, neighbor_alltoall, send_buffer, n, type, to, n, type, grid)
    EITHER(Neighbor_alltoallv, neighbor_alltoallv, send_buffer, send_counts, send_offsets, type, to, receive_counts, receive_offsets, type, grid)
    EITHER(Neighbor_alltoallw, neighbor_alltoallw, send_buffer, send_counts, send_places, types, to, receive_counts, receive_places, types, grid)
    fail("does not know the collective", collective);
    return 1;
}

/* A non-blocking collective is one whose name begins with an i. */
static void run(const struct call *call)
{
    const char *name = call->collective;
    if (name[0] != 'i') {
        perform(call, name, NULL);
        return;
    }
    MPI_Request request;
    perform(call, name + 1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What this rank did in the current case. */
static FILE *out;
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

static void trace_messages(void)
{
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

static void record(const struct call *call)
{
    fprintf(out, "%ld %d", call->id, rank);
    tracing = 1;
    operations = pending_count = 0;
    run(call);
    tracing = 0;
    fprintf(out, "\n");
}

/* A periodic grid of two dimensions. Its neighbourhoods can name a rank twice. */
static void make_grid(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    neighbors = 4;
}

static int read_call(FILE *cases, struct call *call)
{
    int read = fscanf(cases, "%ld %d %39s %d %ld %d %15s %15s %15s", &call->id, &call->ranks, call->collective, &call->root, &call->bytes,
                      &call->element, call->operator_name, call->counts, call->place);
    for (char *letter = call->collective; *letter; letter++)
        *letter = *letter == '-' ? '_' : *letter;
    call->in_place = read == 9 && !strcmp(call->place, "in-place");
    return read == 9;
}

static void prepare_for(const struct call *call)
{
    const char *name = call->collective + (call->collective[0] == 'i');
    int neighborhood = !strncmp(name, "neighbor", 8);
    prepare(call, !strncmp(name, "alltoall", 8), neighborhood ? neighbors : size);
    for (int peer = 0; peer < size; peer++) {
        byte_send_offsets[peer] = send_offsets[peer] * call->element;
        byte_receive_offsets[peer] = receive_offsets[peer] * call->element;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3)
        fail("usage: trace CASES", "FOLDER");
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", argv[2], rank);
    FILE *cases = fopen(argv[1], "r");
    out = fopen(path, "w");
    if (!cases || !out)
        fail("cannot open", cases ? path : argv[1]);

    make_grid();
    size_t blocks = size > neighbors ? size : neighbors;
    int **counts[] = {&send_counts, &send_offsets, &receive_counts, &receive_offsets};
    for (int i = 0; i < 4; i++)
        *counts[i] = calloc(blocks, sizeof(int));
    types = calloc(blocks, sizeof *types);
    send_places = calloc(blocks, sizeof *send_places);
    receive_places = calloc(blocks, sizeof *receive_places);
    MPI_Op_create(keep_second, 1, &user_operator);
    MPI_Op_create(keep_second, 0, &ordered_operator);

    trace_messages();
    struct call call;
    while (read_call(cases, &call)) {
        if (call.ranks != size)
            continue;
        prepare_for(&call);
        record(&call);
        /* Keeps unexpected messages of later cases few. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(out);
    MPI_Finalize();
    return 0;
}
