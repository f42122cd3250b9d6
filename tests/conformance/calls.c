/* Performs collectives with an MPI library and writes what each rank does inside of them.
 *
 *   mpirun -n P trace CASES FOLDER
 *
 * CASES has one case per line, as tests/conformance/cases.py writes them:
 *
 *   ID RANKS COLLECTIVE ROOT BYTES ELEMENT OPERATOR COUNTS PLACE
 *
 * Lines for other numbers of ranks are skipped. BYTES is the whole vector, or the block of one rank or pair, as in `Shape::bytes` of
 * crates/collectives. ELEMENT is the size of an element in bytes: 1, 4 or 8. OPERATOR: sum (built in), user (commutes), ordered (does not
 * commute). COUNTS of v- and w-forms: equal or ragged (0, 1 or 2 times BYTES). PLACE: apart or in-place. Names of non-blocking
 * collectives begin with i.
 *
 * Rank R writes FOLDER/R, a line per case: ID R TOKEN …, in the order in which the rank did it; crates/engine/collectives/examples/messages.rs
 * explains the tokens. calls.h names the functions that know how to find them out. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

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

void fail(const char *what, const char *name)
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
    FILE *cases = fopen(argv[1], "r"), *out = fopen(path, "w");
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

    trace_start(rank, size);
    struct call call;
    while (read_call(cases, &call)) {
        if (call.ranks != size)
            continue;
        prepare_for(&call);
        fprintf(out, "%ld %d", call.id, rank);
        trace_begin();
        run(&call);
        trace_end(out);
        fputc('\n', out);
        /* Keeps unexpected messages of later cases few. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(out);
    MPI_Finalize();
    return 0;
}
