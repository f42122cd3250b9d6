/* The data traffic kernel of the NAS benchmarks, in short: streams of features flow through a graph with a node per rank.
 *
 *     dt GRAPH CLASS [CHUNKS] [hold]
 *
 *     BH  black hole: many sources, four streams join at each node, one sink      A 21, B 43, C 85 ranks
 *     WH  white hole: one source, four streams leave each node, many sinks        A 21, B 43, C 85 ranks
 *     SH  shuffle: layers of as many nodes, two streams from each to the next     A 80, B 192, C 448 ranks
 *
 * A stream has four numbers for each of 1728 * 64 (A), * 512 (B), * 4096 (C) samples. Nodes keep all streams to the end.
 * All ranks together execute the combination of CHUNKS chunks (all, if not given) and skip the others. With -DPRIVATE
 * every rank has memory of its own. `hold` waits for a line on standard input while all memory is in use. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PRIVATE
#define ALLOCATE(bytes) malloc(bytes)
#define RELEASE(data) free(data)
#else
#define ALLOCATE(bytes) SMPI_SHARED_MALLOC(bytes)
#define RELEASE(data) SMPI_SHARED_FREE(data)
#endif

#define CHUNK 4096
#define MOST 8

struct node {
    int in[MOST], out[MOST], ins, outs;
};

static void join(struct node *nodes, int from, int to) {
    nodes[from].out[nodes[from].outs++] = to;
    nodes[to].in[nodes[to].ins++] = from;
}

/* Layers of sources, sources / 4, ... 1 nodes, from the many to the one or the other way round. */
static int tree(struct node *nodes, int sources, int towards_one) {
    int first = 0, width = sources;
    for (; width > 1; first += width, width = (width + 3) / 4)
        for (int i = 0; i < width; i++) {
            int parent = first + width + i / 4;
            towards_one ? join(nodes, first + i, parent) : join(nodes, parent, first + i);
        }
    return first + 1;
}

static int shuffle(struct node *nodes, int sources) {
    int layers = 1;
    for (int width = sources; width > 1; width /= 2) layers++;
    for (int layer = 0; layer + 1 < layers; layer++)
        for (int i = 0; i < sources; i++)
            for (int k = 0; k < 2; k++) join(nodes, layer * sources + i, (layer + 1) * sources + (2 * i + k) % sources);
    return layers * sources;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *graph = argc > 1 ? argv[1] : "BH";
    int class = argc > 2 ? argv[2][0] - 'A' : 0, hold = argc > 1 && !strcmp(argv[argc - 1], "hold");
    long chunks = argc > 3 && strcmp(argv[3], "hold") ? atol(argv[3]) : 1L << 40;
    int sources = 16 << class, length = 4 * (1728 << (6 + 3 * class));
    struct node *nodes = calloc(1024, sizeof *nodes), *me = &nodes[rank];
    int count = graph[0] == 'S' ? shuffle(nodes, sources) : tree(nodes, sources, graph[0] == 'B');
    if (count != size) {
        if (rank == 0) fprintf(stderr, "dt %s %c needs %d ranks\n", graph, 'A' + class, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double *streams[MOST], *result, sum = 0, total = 0, begin = MPI_Wtime();
    result = ALLOCATE(length * sizeof *result);
    for (int i = 0; me->ins == 0 && i < length; i++) result[i] = (rank + 1) * 1e-3 + i % 128;
    for (int k = 0; k < me->ins; k++) {
        int expected;
        MPI_Recv(&expected, 1, MPI_INT, me->in[k], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        streams[k] = ALLOCATE(expected * sizeof *streams[k]);
        MPI_Recv(streams[k], expected, MPI_DOUBLE, me->in[k], 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int start = 0; start < length; start += CHUNK)
            SMPI_SAMPLE_GLOBAL(chunks) {
                for (int i = start; i < start + CHUNK && i < length; i++)
                    result[i] = (k ? result[i] : 0) + streams[k][i] / me->ins;
            }
    }
    for (int k = 0; k < me->outs; k++) {
        MPI_Send(&length, 1, MPI_INT, me->out[k], 0, MPI_COMM_WORLD);
        MPI_Send(result, length, MPI_DOUBLE, me->out[k], 1, MPI_COMM_WORLD);
    }
    for (int i = 0; me->outs == 0 && i < length; i += CHUNK) sum += result[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %.9e seconds %.6f\n", total, MPI_Wtime() - begin);
    if (hold && rank == 0) printf("holding\n");
    MPI_Barrier(MPI_COMM_WORLD);
    if (hold && rank == 0) getchar();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < me->ins; k++) RELEASE(streams[k]);
    RELEASE(result);
    free(nodes);
    MPI_Finalize();
    return 0;
}
