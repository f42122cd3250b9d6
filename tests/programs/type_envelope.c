/* A datatype remembers how it was made: envelope and contents, names, duplicates. */
#include "check.h"

static const char *combiner_name(int c)
{
    switch (c) {
    case MPI_COMBINER_NAMED: return "named";
    case MPI_COMBINER_DUP: return "dup";
    case MPI_COMBINER_CONTIGUOUS: return "contiguous";
    case MPI_COMBINER_VECTOR: return "vector";
    case MPI_COMBINER_HVECTOR: return "hvector";
    case MPI_COMBINER_INDEXED: return "indexed";
    case MPI_COMBINER_HINDEXED: return "hindexed";
    case MPI_COMBINER_INDEXED_BLOCK: return "indexed_block";
    case MPI_COMBINER_STRUCT: return "struct";
    case MPI_COMBINER_RESIZED: return "resized";
    case MPI_COMBINER_SUBARRAY: return "subarray";
    default: return "other";
    }
}

static void show(MPI_Datatype t)
{
    int ni, na, nd, combiner;
    MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
    say("%s:", combiner_name(combiner));
    if (combiner != MPI_COMBINER_NAMED) {
        int integers[32];
        MPI_Aint addresses[32];
        MPI_Datatype types[32];
        MPI_Type_get_contents(t, ni, na, nd, integers, addresses, types);
        for (int i = 0; i < ni; i++) say(" %d", integers[i] == MPI_ORDER_C ? 0 : integers[i]);
        say(" |");
        for (int i = 0; i < na; i++) say(" %ld", (long)addresses[i]);
        say(" |");
        for (int i = 0; i < nd; i++) {
            int in_ni, in_na, in_nd, kind;
            MPI_Type_get_envelope(types[i], &in_ni, &in_na, &in_nd, &kind);
            say(" %s%s", combiner_name(kind), types[i] == MPI_INT ? "(int)" : types[i] == MPI_DOUBLE ? "(double)" : "");
            if (kind != MPI_COMBINER_NAMED) MPI_Type_free(&types[i]);
        }
    }
    say("\n");
}

static void show_and_free(MPI_Datatype t)
{
    if (rank == 0) show(t);
    MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Datatype t, inner;
    int lengths[2] = {2, 3}, places[2] = {0, 7}, sizes[2] = {4, 6}, sub[2] = {2, 3}, at[2] = {1, 2};
    MPI_Aint bytes[2] = {0, 48};
    MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE};
    if (rank == 0) show(MPI_INT);
    MPI_Type_contiguous(4, MPI_INT, &t), show_and_free(t);
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &t), show_and_free(t);
    MPI_Type_create_hvector(3, 2, 40, MPI_INT, &t), show_and_free(t);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &t), show_and_free(t);
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t), show_and_free(t);
    MPI_Type_create_indexed_block(2, 3, places, MPI_INT, &t), show_and_free(t);
    MPI_Type_create_struct(2, lengths, bytes, kinds, &t), show_and_free(t);
    MPI_Type_create_resized(MPI_INT, 0, 16, &t), show_and_free(t);
    MPI_Type_create_subarray(2, sizes, sub, at, MPI_ORDER_C, MPI_INT, &t);
    int ni, na, nd, combiner;
    MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
    CHECK(ni == 8 && na == 0 && nd == 1 && combiner == MPI_COMBINER_SUBARRAY);
    MPI_Type_free(&t);
    MPI_Type_contiguous(4, MPI_INT, &inner);
    MPI_Type_vector(2, 1, 3, inner, &t);
    MPI_Type_free(&inner);
    show_and_free(t);

    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK(strcmp(name, "MPI_INT") == 0 && length == 7);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_get_name(t, name, &length);
    CHECK(length == 0);
    MPI_Type_set_name(t, "two ints");
    MPI_Type_get_name(t, name, &length);
    if (rank == 0) say("name \"%s\" %d\n", name, length);
    MPI_Type_dup(t, &inner);
    show_and_free(inner);
    MPI_Type_free(&t);
    return finish();
}
