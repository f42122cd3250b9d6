/* Times one collective, alone: collective NAME SIZES ROOTS [uneven] [warm]

   SIZES and ROOTS are lists such as 8,4096. Every rank prints for each size and root how long the call took. All ranks meet
   before each call by messages of their own, so no other collective is involved. The first two calls are not timed: in the
   first one SimGrid's algorithms for several ranks per host find out who shares a host. `uneven` gives each rank another count in the
   v-variants and in MPI_Reduce_scatter. With `warm`, each call is made once before it is timed: a selection may take other algorithms for
   other sizes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, uneven;

static void meet(void)
{
    char out = 0, in;
    for (int distance = 1; distance < size; distance *= 2)
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + distance) % size, 1, &in, 1, MPI_CHAR, (rank - distance + size) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Elements of the block of `owner`. */
static int block(int owner, int elements)
{
    return uneven ? elements / 2 + (owner * 7 + 3) % (elements + 1) : elements;
}

/* Fills counts and displacements of all ranks' blocks; returns their sum. */
static int layout(int elements, int *counts, int *places)
{
    int total = 0;
    for (int owner = 0; owner < size; owner++) {
        counts[owner] = block(owner, elements);
        places[owner] = total;
        total += counts[owner];
    }
    return total;
}

/* Elements from one rank to another in an all-to-all. */
static int share(int from, int to, int elements)
{
    return uneven ? elements / 2 + (from * 5 + to * 3) % (elements + 1) : elements;
}

static void perform(const char *name, int bytes, int root, char *out, char *in)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int elements = bytes / (int)sizeof(double);
    int counts[size], places[size], to_counts[size], to_places[size];
    layout(strcmp(name, "reduce_scatter") == 0 ? elements : bytes, counts, places);
    if (strcmp(name, "barrier") == 0)
        MPI_Barrier(world);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(out, bytes, MPI_CHAR, root, world);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, world);
    else if (strcmp(name, "gatherv") == 0)
        MPI_Gatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, root, world);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, world);
    else if (strcmp(name, "scatterv") == 0)
        MPI_Scatterv(out, counts, places, MPI_CHAR, in, counts[rank], MPI_CHAR, root, world);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, world);
    else if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(out, counts[rank], MPI_CHAR, in, counts, places, MPI_CHAR, world);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, world);
    else if (strcmp(name, "alltoallv") == 0) {
        int sent = 0, received = 0;
        for (int peer = 0; peer < size; peer++) {
            to_counts[peer] = share(rank, peer, bytes), to_places[peer] = sent, sent += to_counts[peer];
            counts[peer] = share(peer, rank, bytes), places[peer] = received, received += counts[peer];
        }
        MPI_Alltoallv(out, to_counts, to_places, MPI_CHAR, in, counts, places, MPI_CHAR, world);
    } else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(out, in, elements, MPI_DOUBLE, MPI_SUM, root, world);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(out, in, elements, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "scan") == 0)
        MPI_Scan(out, in, elements, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "exscan") == 0)
        MPI_Exscan(out, in, elements, MPI_DOUBLE, MPI_SUM, world);
    else
        MPI_Abort(world, 2);
}

static void time_call(const char *name, int bytes, int root, int timed)
{
    /* Uneven blocks are up to 3/2 of the even ones. */
    size_t room = (size_t)(bytes + 8) * size * 3 / 2 + 64;
    char *out = calloc(1, room), *in = calloc(1, room);
    /* Ranks leave the first meeting at slightly different times, which depend on what was before. */
    meet(), meet(), meet();
    double begin = MPI_Wtime();
    perform(name, bytes, root, out, in);
    double seconds = MPI_Wtime() - begin;
    /* Ranks that are done early would meet for the next call while others are still in this one. */
    sleep(1);
    if (timed)
        printf("SIM bytes=%d root=%d rank=%d seconds=%.12f\n", bytes, root, rank, seconds);
    free(out), free(in);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int warm = 0;
    for (int i = 4; i < argc; i++) {
        uneven |= strcmp(argv[i], "uneven") == 0;
        warm |= strcmp(argv[i], "warm") == 0;
    }
    time_call(argv[1], 4096, 0, 0);
    time_call(argv[1], 4096, 0, 0);
    for (char *sizes = argv[2]; sizes; sizes = strchr(sizes, ',')) {
        sizes += *sizes == ',';
        for (char *roots = argv[3]; roots; roots = strchr(roots, ',')) {
            roots += *roots == ',';
            if (warm) time_call(argv[1], atoi(sizes), atoi(roots), 0);
            time_call(argv[1], atoi(sizes), atoi(roots), 1);
        }
    }
    MPI_Finalize();
    return 0;
}
