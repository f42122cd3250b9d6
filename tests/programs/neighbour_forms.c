/* Every neighbourhood collective in every form, on a grid with an edge, a ring, and a graph with directions. */
#include "check.h"

enum { BLOCKING, IMMEDIATE, PERSISTENT, FORMS };

/* Runs one of the three forms of a collective; the persistent one is started twice. */
#define IN_FORM(form, NAME, comm, ...)                                                             \
    do {                                                                                           \
        MPI_Request q;                                                                             \
        if (form == BLOCKING) {                                                                    \
            MPI_Neighbor_##NAME(__VA_ARGS__, comm);                                                \
        } else if (form == IMMEDIATE) {                                                            \
            MPI_Ineighbor_##NAME(__VA_ARGS__, comm, &q);                                           \
            MPI_Wait(&q, MPI_STATUS_IGNORE);                                                       \
        } else {                                                                                   \
            MPI_Neighbor_##NAME##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &q);                      \
            for (int start = 0; start < 2; start++) MPI_Start(&q), MPI_Wait(&q, MPI_STATUS_IGNORE); \
            MPI_Request_free(&q);                                                                  \
        }                                                                                          \
    } while (0)

/* A grid that does not go around: outer ranks have neighbours that are MPI_PROC_NULL, whose blocks stay as they are. */
static void grid(int form)
{
    int dims[2] = {0, 0}, periods[2] = {0, 0}, n[4], me, in[8], out[8];
    MPI_Comm comm;
    MPI_Datatype apart;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Comm_rank(comm, &me);
    MPI_Cart_shift(comm, 0, 1, &n[0], &n[1]);
    MPI_Cart_shift(comm, 1, 1, &n[2], &n[3]);
    int counts[4] = {1, 1, 1, 1}, displs[4] = {3, 2, 1, 0};
    for (int i = 0; i < 4; i++) in[i] = -7;
    IN_FORM(form, allgatherv, comm, &me, 1, MPI_INT, in, counts, displs, MPI_INT);
    for (int i = 0; i < 4; i++) CHECK(in[displs[i]] == (n[i] == MPI_PROC_NULL ? -7 : n[i]));

    /* Blocks with gaps on both sides; what lies in the gaps stays. */
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < 8; i++) in[i] = -7, out[i] = 100 * me + i;
    IN_FORM(form, alltoall, comm, out, 1, apart, in, 1, apart);
    for (int i = 0; i < 4; i++) {
        CHECK(in[2 * i] == (n[i] == MPI_PROC_NULL ? -7 : 100 * n[i] + 2 * (i ^ 1)));
        CHECK(in[2 * i + 1] == -7);
    }
    MPI_Type_free(&apart);

    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Aint places[4] = {0, sizeof(int), 2 * sizeof(int), 3 * sizeof(int)};
    for (int i = 0; i < 4; i++) in[i] = -7, out[i] = 10 * me + i;
    IN_FORM(form, alltoallw, comm, out, counts, places, types, in, counts, places, types);
    for (int i = 0; i < 4; i++) CHECK(in[i] == (n[i] == MPI_PROC_NULL ? -7 : 10 * n[i] + (i ^ 1)));
    MPI_Comm_free(&comm);
}

/* Each rank sends to the next two and to itself, more than fits into an eager message. */
static void graph(int form)
{
    enum { LARGE = 50000 };
    int to[3] = {(rank + 1) % size, (rank + 2) % size, rank}, from[3] = {rank, (rank + size - 1) % size, (rank + 2 * size - 2) % size};
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, from, MPI_UNWEIGHTED, 3, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    int *in = calloc(3 * LARGE, sizeof *in), *out = malloc(3 * LARGE * sizeof *out);
    for (int i = 0; i < 3 * LARGE; i++) out[i] = rank;
    IN_FORM(form, allgather, comm, out, LARGE, MPI_INT, in, LARGE, MPI_INT);
    for (int i = 0; i < 3; i++) CHECK(in[i * LARGE] == from[i] && in[(i + 1) * LARGE - 1] == from[i]);

    if (size > 2) {    /* where no two edges join the same ranks */
        int sends[3] = {1, LARGE, 2}, gets[3] = {2, 1, LARGE}, places[3] = {0, 1, LARGE + 1}, room[3] = {0, 2, 3};
        out[0] = 10 * rank, out[1] = 10 * rank + 1, out[LARGE] = 10 * rank + 3, out[LARGE + 1] = 10 * rank + 2;
        IN_FORM(form, alltoallv, comm, out, sends, places, MPI_INT, in, gets, room, MPI_INT);
        CHECK(in[0] == 10 * rank + 2 && in[2] == 10 * from[1] && in[3] == 10 * from[2] + 1 && in[2 + LARGE] == 10 * from[2] + 3);
        say("%d: %d %d %d\n", rank, in[0], in[2], in[3]);
    }
    free(in), free(out);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int form = BLOCKING; form < FORMS; form++) {
        grid(form);
        graph(form);
    }
    return finish();
}
