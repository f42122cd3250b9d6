/* Struct types with holes, arrays of structs through resized, and a struct of structs. */
#include "check.h"

typedef struct { char kind; double where[3]; int id; short flags[2]; } particle;
typedef struct { int n; particle pair[2]; float charge; } molecule;

static MPI_Datatype particle_type(void)
{
    int lengths[4] = {1, 3, 1, 2};
    MPI_Aint places[4] = {offsetof(particle, kind), offsetof(particle, where), offsetof(particle, id), offsetof(particle, flags)};
    MPI_Datatype kinds[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, loose, type;
    MPI_Type_create_struct(4, lengths, places, kinds, &loose);
    MPI_Type_create_resized(loose, 0, sizeof(particle), &type);
    MPI_Type_free(&loose);
    MPI_Type_commit(&type);
    return type;
}

static particle make(int r, int i)
{
    particle p;
    memset(&p, 0x5a, sizeof p);                      /* holes have a value too, and must not travel */
    p.kind = (char)('A' + i), p.id = r * 100 + i;
    for (int k = 0; k < 3; k++) p.where[k] = r + i * 0.5 + k;
    p.flags[0] = (short)-i, p.flags[1] = (short)(r + 7);
    return p;
}

static int same(const particle *a, const particle *b)
{
    return a->kind == b->kind && a->id == b->id && !memcmp(a->where, b->where, sizeof a->where) && !memcmp(a->flags, b->flags, sizeof a->flags);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, bytes;
    MPI_Datatype type = particle_type();
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 1 + 24 + 4 + 4);
    say("%d particle size %d\n", rank, bytes);

    particle out[5], in[5];
    for (int i = 0; i < 5; i++) out[i] = make(rank, i);
    memset(in, 0, sizeof in);
    MPI_Sendrecv(out, 5, type, next, 0, in, 5, type, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) {
        particle want = make(previous, i);
        CHECK(same(&in[i], &want));
        CHECK(((char *)&in[i])[1] == 0);             /* the hole after `kind` */
    }
    say("%d has %c %d %.1f %d\n", rank, in[4].kind, in[4].id, in[4].where[2], in[4].flags[0]);

    int lengths[3] = {1, 2, 1};
    MPI_Aint places[3] = {offsetof(molecule, n), offsetof(molecule, pair), offsetof(molecule, charge)};
    MPI_Datatype kinds[3] = {MPI_INT, type, MPI_FLOAT}, whole;
    MPI_Type_create_struct(3, lengths, places, kinds, &whole);
    MPI_Type_commit(&whole);
    molecule m = {rank, {make(rank, 1), make(rank, 2)}, 0.5f}, got;
    MPI_Sendrecv(&m, 1, whole, next, 1, &got, 1, whole, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    particle want = make(previous, 2);
    CHECK(got.n == previous && same(&got.pair[1], &want) && got.charge == 0.5f);
    MPI_Type_free(&whole);
    MPI_Type_free(&type);
    return finish();
}
