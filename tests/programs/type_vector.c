/* Contiguous, vector and hvector types: what is sent, what is touched, mixed with plain types on the other side. */
#include "check.h"

static int next_rank, previous;

/* Sends `n` items of `type` from a 0,1,2,… array to the next rank, which gets them as plain ints and prints them. */
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
    /* And back: plain ints into the type; everything else must stay as it was. */
    int copy[64], touched = 0;
    memset(copy, 0xff, sizeof copy);
    MPI_Sendrecv(in, count, MPI_INT, previous, 1, copy, n, type, next_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 64; i++) {
        CHECK(copy[i] == i || copy[i] == -1);
        touched += copy[i] == i;
    }
    CHECK(touched == count);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    next_rank = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype t, inner;
    MPI_Type_contiguous(5, MPI_INT, &t);
    show("contiguous 5, twice", 2, t);
    MPI_Type_vector(3, 2, 4, MPI_INT, &t);
    show("vector 3x2/4", 1, t);
    MPI_Type_vector(3, 2, 4, MPI_INT, &t);
    show("vector 3x2/4, twice", 2, t);
    MPI_Type_vector(2, 3, 3, MPI_INT, &t);
    show("vector without holes", 2, t);
    MPI_Type_create_hvector(3, 2, 20, MPI_INT, &t);
    show("hvector 3x2/20 bytes", 1, t);
    MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
    MPI_Type_create_hvector(3, 1, 32, inner, &t);
    MPI_Type_free(&inner);                           /* a type built from it stays alive */
    show("hvector of vector", 1, t);
    MPI_Type_vector(2, 2, 5, MPI_INT, &inner);
    MPI_Type_contiguous(2, inner, &t);
    MPI_Type_free(&inner);
    show("contiguous of vector", 2, t);
    MPI_Type_vector(0, 2, 4, MPI_INT, &t);
    show("empty vector", 3, t);
    return finish();
}
