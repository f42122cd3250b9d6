/* Graph topology: a ring with chords; neighbours as given, exchange along the edges. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    /* Every rank has two neighbours: next and previous. */
    int index[size], edges[2 * size], kind, nodes, n_edges, n, neighbours[2];
    for (int r = 0; r < size; r++) {
        index[r] = 2 * (r + 1);
        edges[2 * r] = (r + 1) % size, edges[2 * r + 1] = (r + size - 1) % size;
    }
    MPI_Comm ring;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
    MPI_Topo_test(ring, &kind);
    MPI_Graphdims_get(ring, &nodes, &n_edges);
    CHECK(kind == MPI_GRAPH && nodes == size && n_edges == 2 * size);
    MPI_Graph_neighbors_count(ring, rank, &n);
    MPI_Graph_neighbors(ring, rank, 2, neighbours);
    CHECK(n == 2 && neighbours[0] == (rank + 1) % size && neighbours[1] == (rank + size - 1) % size);
    int got_index[size], got_edges[2 * size];
    MPI_Graph_get(ring, size, 2 * size, got_index, got_edges);
    CHECK(!memcmp(index, got_index, sizeof index) && !memcmp(edges, got_edges, sizeof edges));
    int got;
    MPI_Sendrecv(&rank, 1, MPI_INT, neighbours[0], 0, &got, 1, MPI_INT, neighbours[1], 0, ring, MPI_STATUS_IGNORE);
    say("%d neighbours %d %d, got %d\n", rank, neighbours[0], neighbours[1], got);
    MPI_Comm_free(&ring);
    return finish();
}
