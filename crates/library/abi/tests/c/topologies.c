/* Groups and topologies of a world of one. */
#include <mpi.h>
#include <stdio.h>

static void groups(void)
{
    MPI_Group world, empty, other;
    int size, rank, result, ranks[2] = {0, MPI_PROC_NULL}, translated[2], ranges[1][3] = {{0, 0, 1}};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(world, &size);
    MPI_Group_rank(world, &rank);
    printf("world %d %d\n", size, rank);
    MPI_Group_excl(world, 1, ranks, &empty);
    printf("empty %d\n", empty == MPI_GROUP_EMPTY);
    MPI_Group_rank(empty, &rank);
    printf("rank %d\n", rank == MPI_UNDEFINED);
    MPI_Group_incl(world, 1, ranks, &other);
    MPI_Group_compare(world, other, &result);
    printf("ident %d", result == MPI_IDENT);
    MPI_Group_compare(world, empty, &result);
    printf(" unequal %d\n", result == MPI_UNEQUAL);
    MPI_Group_translate_ranks(world, 2, ranks, other, translated);
    printf("translated %d %d", translated[0], translated[1] == MPI_PROC_NULL);
    MPI_Group_translate_ranks(world, 1, ranks, MPI_GROUP_EMPTY, translated);
    printf(" %d\n", translated[0] == MPI_UNDEFINED);
    MPI_Group_free(&other);
    MPI_Group_range_incl(world, 1, ranges, &other);
    MPI_Group_size(other, &size);
    printf("range %d\n", size);
    MPI_Group_free(&other);
    MPI_Group_range_excl(world, 1, ranges, &other);
    printf("range %d\n", other == MPI_GROUP_EMPTY);
    MPI_Group_union(world, MPI_GROUP_EMPTY, &other);
    MPI_Group_size(other, &size);
    printf("union %d", size);
    MPI_Group_free(&other);
    MPI_Group_intersection(world, MPI_GROUP_EMPTY, &other);
    MPI_Group_size(other, &size);
    printf(" intersection %d", size);
    MPI_Group_difference(world, MPI_GROUP_EMPTY, &other);
    MPI_Group_size(other, &size);
    printf(" difference %d\n", size);
    MPI_Group_free(&other);
    ranks[0] = 1;
    MPI_Error_class(MPI_Group_incl(world, 1, ranks, &other), &result);
    printf("outside %d\n", result == MPI_ERR_RANK);
    MPI_Group_free(&world);
    printf("freed %d\n", world == MPI_GROUP_NULL);
}

static void dims(int nodes, int n, int a, int b, int c)
{
    int dims[3] = {a, b, c};
    MPI_Dims_create(nodes, n, dims);
    printf("dims %d: %d %d %d\n", nodes, dims[0], dims[1], n > 2 ? dims[2] : 0);
}

static void cart(void)
{
    MPI_Comm comm, sub;
    int dims[2] = {1, 1}, periods[2] = {0, 1}, coords[2] = {9, 9}, remain[2] = {0, 1}, from, to, n, status, class;

    MPI_Topo_test(MPI_COMM_WORLD, &status);
    printf("undefined %d\n", status == MPI_UNDEFINED);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    MPI_Topo_test(comm, &status);
    MPI_Cartdim_get(comm, &n);
    printf("cart %d %d\n", status == MPI_CART, n);
    dims[0] = periods[0] = 7;
    MPI_Cart_get(comm, 2, dims, periods, coords);
    printf("%d %d %d %d %d %d\n", dims[0], dims[1], periods[0], periods[1], coords[0], coords[1]);
    MPI_Cart_shift(comm, 0, 1, &from, &to);
    printf("shift %d %d", from == MPI_PROC_NULL, to == MPI_PROC_NULL);
    MPI_Cart_shift(comm, 1, 1, &from, &to);
    printf(" %d %d\n", from, to);
    coords[1] = -5;
    MPI_Cart_rank(comm, coords, &n);
    MPI_Cart_coords(comm, 0, 2, coords);
    printf("rank %d coords %d %d\n", n, coords[0], coords[1]);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &n);
    printf("map %d\n", n);
    MPI_Cart_sub(comm, remain, &sub);
    MPI_Cartdim_get(sub, &n);
    MPI_Cart_get(sub, 1, dims, periods, coords);
    printf("sub %d: %d %d %d\n", n, dims[0], periods[0], coords[0]);
    MPI_Error_class(MPI_Cart_rank(MPI_COMM_WORLD, coords, &n), &class);
    printf("no topology %d\n", class == MPI_ERR_TOPOLOGY);
    MPI_Error_class(MPI_Cart_coords(comm, 1, 2, coords), &class);
    printf("no such rank %d\n", class == MPI_ERR_RANK);
}

static void graphs(void)
{
    MPI_Comm comm;
    int index[1] = {1}, edges[1] = {0}, nodes, n, neighbors[1], status, weighted, in, out, weights[2] = {4, 5};
    int sources[2] = {0, 0}, degrees[2] = {1, 1}, from[2], to[2], from_weights[2], to_weights[2];

    MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &comm);
    MPI_Topo_test(comm, &status);
    MPI_Graphdims_get(comm, &nodes, &n);
    printf("graph %d %d %d\n", status == MPI_GRAPH, nodes, n);
    index[0] = edges[0] = 9;
    MPI_Graph_get(comm, 1, 1, index, edges);
    MPI_Graph_neighbors_count(comm, 0, &n);
    MPI_Graph_neighbors(comm, 0, 1, neighbors);
    printf("%d %d %d %d\n", index[0], edges[0], n, neighbors[0]);
    MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, &n);
    printf("map %d\n", n);

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 1, sources, weights, MPI_INFO_NULL, 0, &comm);
    MPI_Topo_test(comm, &status);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    printf("adjacent %d: %d %d %d\n", status == MPI_DIST_GRAPH, in, out, weighted);
    MPI_Dist_graph_neighbors(comm, 2, from, from_weights, 1, to, to_weights);
    printf("%d %d %d %d, %d %d\n", from[0], from[1], from_weights[0], from_weights[1], to[0], to_weights[0]);

    MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    printf("general: %d %d %d\n", in, out, weighted);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, sources, weights, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, 2, from, from_weights, 2, to, to_weights);
    printf("general: %d %d %d, %d %d %d %d\n", in, out, weighted, from_weights[0], from_weights[1], to_weights[0],
           to_weights[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    groups();
    dims(12, 2, 0, 0, 0);
    dims(64, 3, 0, 0, 0);
    dims(60, 3, 0, 5, 0);
    dims(17, 2, 0, 0, 0);
    cart();
    graphs();
    MPI_Finalize();
    return 0;
}
