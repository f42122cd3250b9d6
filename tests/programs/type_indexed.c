/* Indexed, hindexed, indexed_block and hindexed_block types, in order and out of order. */
#include "check.h"

static int next_rank, previous;

static void show(const char *what, int n, MPI_Datatype type)
{
    int out[64], in[64], count;
    MPI_Status s;
    for (int i = 0; i < 64; i++) out[i] = i;
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, n, type, next_rank, 0, in, 64, MPI_INT, previous, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    if (rank == 0) {
        say("%s:", what);
        for (int i = 0; i < count; i++) say(" %d", in[i]);
        say("\n");
    }
    int copy[64];
    memset(copy, 0xff, sizeof copy);
    MPI_Sendrecv(in, count, MPI_INT, previous, 1, copy, n, type, next_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < count; k++) CHECK(copy[in[k]] == in[k]);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    next_rank = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype t, pair;
    int lengths[4] = {2, 0, 3, 1}, places[4] = {1, 5, 8, 15}, backwards[4] = {20, 12, 6, 0};
    MPI_Aint bytes[4] = {4, 20, 32, 60};
    MPI_Type_indexed(4, lengths, places, MPI_INT, &t);
    show("indexed", 1, t);
    MPI_Type_indexed(4, lengths, places, MPI_INT, &t);
    show("indexed, twice", 2, t);
    MPI_Type_indexed(4, lengths, backwards, MPI_INT, &t);
    show("indexed, out of order", 1, t);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &t);
    show("hindexed", 1, t);
    MPI_Type_create_indexed_block(4, 2, backwards, MPI_INT, &t);
    show("indexed_block", 1, t);
    MPI_Type_create_hindexed_block(3, 3, bytes, MPI_INT, &t);
    show("hindexed_block overlapping nothing", 1, t);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_indexed(3, lengths, places, pair, &t);
    MPI_Type_free(&pair);
    show("indexed pairs", 1, t);

    /* Lower triangle of a matrix, received as the upper triangle of another: lengths only have to agree in sum. */
    int n = 4, rows[4], starts[4], upper[4], lower_matrix[16], upper_matrix[16];
    for (int i = 0; i < n; i++) rows[i] = i + 1, starts[i] = i * n, upper[i] = i * n + i;
    int upper_rows[4] = {4, 3, 2, 1};
    MPI_Datatype low, high;
    MPI_Type_indexed(n, rows, starts, MPI_INT, &low);
    MPI_Type_indexed(n, upper_rows, upper, MPI_INT, &high);
    MPI_Type_commit(&low), MPI_Type_commit(&high);
    for (int i = 0; i < 16; i++) lower_matrix[i] = 100 * rank + i, upper_matrix[i] = -1;
    MPI_Sendrecv(lower_matrix, 1, low, next_rank, 3, upper_matrix, 1, high, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(upper_matrix[0] == 100 * previous && upper_matrix[4] == -1 && upper_matrix[15] == 100 * previous + 15);
    say("%d upper:", rank);
    for (int i = 0; i < 16; i++) say(" %d", upper_matrix[i]);
    say("\n");
    MPI_Type_free(&low), MPI_Type_free(&high);
    return finish();
}
