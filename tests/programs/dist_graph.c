/* Distributed graph topology and neighbourhood collectives on it: a binary tree, both directions. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peers[3], n = 0;
    if (rank > 0) peers[n++] = (rank - 1) / 2;
    for (int child = 2 * rank + 1; child <= 2 * rank + 2; child++)
        if (child < size) peers[n++] = child;
    MPI_Comm tree;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, peers, MPI_UNWEIGHTED, n, peers, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &tree);
    int kind, in, out, weighted, sources[3], targets[3];
    MPI_Topo_test(tree, &kind);
    MPI_Dist_graph_neighbors_count(tree, &in, &out, &weighted);
    CHECK(kind == MPI_DIST_GRAPH && in == n && out == n && !weighted);
    MPI_Dist_graph_neighbors(tree, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED);
    for (int i = 0; i < n; i++) CHECK(sources[i] == peers[i] && targets[i] == peers[i]);

    int got[3] = {-1, -1, -1}, send[3];
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, tree);
    say("%d neighbours:", rank);
    for (int i = 0; i < n; i++) {
        CHECK(got[i] == peers[i]);
        say(" %d", got[i]);
    }
    for (int i = 0; i < n; i++) send[i] = rank * 100 + peers[i];
    MPI_Neighbor_alltoall(send, 1, MPI_INT, got, 1, MPI_INT, tree);
    for (int i = 0; i < n; i++) {
        CHECK(got[i] == peers[i] * 100 + rank);
        say(" %d", got[i]);
    }
    say("\n");
    MPI_Comm_free(&tree);
    return finish();
}
