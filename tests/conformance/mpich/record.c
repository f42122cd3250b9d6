/* Stands between MPICH and UCX, its network module: notes which messages a rank sends and receives, and where it waits.
 *
 * MPICH hands each message to ucp_tag_send_nbx or ucp_tag_send_sync_nbx, also those inside of collectives, and each receive to
 * ucp_tag_recv_nbx. The library is linked before MPICH, so that its functions of these names are called instead; they take a note and call
 * UCX.
 *
 * - UCX knows the other side of a send as an endpoint. The program sends one known message to each rank first (introduce_receiver), and so
 *   this library learns which endpoint belongs to which rank. A receive has the source in the middle of its tag (ucx_types.h of MPICH);
 *   introduce_sender checks that it does.
 * - Types that are not contiguous are sent as a number of elements of a "generic" type, whose own functions say how many bytes these are.
 * - A rank that calls ucp_worker_progress waits: messages of at least one byte never complete at once if all of them use rendezvous
 *   (UCX_RNDV_THRESH=0). What it waits for is unknown.
 * - A rank that finds no progress gives its core to another one. Without that, 64 ranks on two cores spend all their time waiting. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

#include "record.h"

enum { MOST_RANKS = 4096, MOST_TYPES = 65536, RANK_BITS = 16, TAG_BITS = 32 };

static struct {
    ucp_ep_h endpoint;
    int rank;
} receivers[MOST_RANKS];
static int known_receivers;

static struct {
    ucp_datatype_t type;
    ucp_generic_dt_ops_t functions;
    void *context;
} types[MOST_TYPES];
static int known_types;

static struct step *steps;
static size_t count, room;
static int recording, new_receiver = -1, new_sender = -1;

static void fail(const char *what)
{
    fprintf(stderr, "record: %s\n", what);
    abort();
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        fail(name);
    return function;
}

void introduce_receiver(int rank)
{
    new_receiver = rank;
}

void introduce_sender(int rank)
{
    new_sender = rank;
}

void begin_recording(void)
{
    count = 0;
    recording = 1;
}

size_t end_recording(const struct step **recorded)
{
    recording = 0;
    *recorded = steps;
    return count;
}

static void add(int kind, int peer, size_t bytes)
{
    if (count == room) {
        room = room ? 2 * room : 1024;
        steps = realloc(steps, room * sizeof *steps);
        if (!steps)
            fail("out of memory");
    }
    steps[count++] = (struct step){ kind, peer, bytes };
}

static int rank_of(ucp_ep_h endpoint)
{
    for (int i = 0; i < known_receivers; i++)
        if (receivers[i].endpoint == endpoint)
            return receivers[i].rank;
    fail("a message to an endpoint that belongs to no rank");
    return -1;
}

static size_t bytes_of(const void *buffer, size_t elements, const ucp_request_param_t *param)
{
    if (!(param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE))
        return elements;
    if ((param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
        return elements * (param->datatype >> UCP_DATATYPE_SHIFT);
    /* The newest entry first: UCX uses the handles of freed types again. */
    for (int i = known_types; i-- > 0;)
        if (types[i].type == param->datatype) {
            void *state = types[i].functions.start_pack(types[i].context, buffer, elements);
            size_t bytes = types[i].functions.packed_size(state);
            /* Not `finish`, which would release the type too. MPICH allocates the state with malloc. */
            free(state);
            return bytes;
        }
    fail("a message of a type that was never created");
    return 0;
}

static void note_send(int kind, ucp_ep_h endpoint, const void *buffer, size_t elements, const ucp_request_param_t *param)
{
    if (new_receiver >= 0) {
        if (known_receivers == MOST_RANKS)
            fail("too many ranks");
        receivers[known_receivers].endpoint = endpoint;
        receivers[known_receivers++].rank = new_receiver;
        new_receiver = -1;
    }
    if (recording)
        add(kind, rank_of(endpoint), bytes_of(buffer, elements, param));
}

static void note_receive(size_t elements, ucp_tag_t tag)
{
    int from = (tag >> TAG_BITS) & ((1 << RANK_BITS) - 1);
    if (new_sender >= 0 && new_sender != from)
        fail("this MPICH has ranks elsewhere in the tags of UCX");
    new_sender = -1;
    if (recording)
        add(RECEIVE, from, elements);
}

typedef ucs_status_ptr_t (*send_function)(ucp_ep_h, const void *, size_t, ucp_tag_t, const ucp_request_param_t *);

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *buffer, size_t elements, ucp_tag_t tag, const ucp_request_param_t *param)
{
    static send_function real;
    if (!real)
        real = (send_function)next("ucp_tag_send_nbx");
    note_send(SEND, endpoint, buffer, elements, param);
    return real(endpoint, buffer, elements, tag, param);
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void *buffer, size_t elements, ucp_tag_t tag, const ucp_request_param_t *param)
{
    static send_function real;
    if (!real)
        real = (send_function)next("ucp_tag_send_sync_nbx");
    note_send(SYNCHRONOUS_SEND, endpoint, buffer, elements, param);
    return real(endpoint, buffer, elements, tag, param);
}

ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t elements, ucp_tag_t tag, ucp_tag_t mask, const ucp_request_param_t *param)
{
    static ucs_status_ptr_t (*real)(ucp_worker_h, void *, size_t, ucp_tag_t, ucp_tag_t, const ucp_request_param_t *);
    if (!real)
        real = next("ucp_tag_recv_nbx");
    note_receive(elements, tag);
    return real(worker, buffer, elements, tag, mask, param);
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *functions, void *context, ucp_datatype_t *type)
{
    static ucs_status_t (*real)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
    if (!real)
        real = next("ucp_dt_create_generic");
    ucs_status_t status = real(functions, context, type);
    if (known_types == MOST_TYPES)
        known_types = 0;
    types[known_types].type = *type;
    types[known_types].functions = *functions;
    types[known_types++].context = context;
    return status;
}

unsigned ucp_worker_progress(ucp_worker_h worker)
{
    static unsigned (*real)(ucp_worker_h);
    if (!real)
        real = next("ucp_worker_progress");
    if (recording && count > 0 && steps[count - 1].kind != WAIT)
        add(WAIT, 0, 0);
    unsigned events = real(worker);
    if (events == 0)
        sched_yield();
    return events;
}
