/* Random nests of datatypes with empty parts: size, lower bound and extent. Where MPICH and Open MPI disagree, nothing is tested: blocks of
 * length zero in vectors and blocks of equal length, and the true extent of a structure with empty members. */
#include "check.h"

enum { CONSTRUCTORS = 12, DEPTH = 3, RANDOM = 600 };

static unsigned long long state;

static int any(int limit)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)limit);
}

/* Zero half of the time. */
static int few(void)
{
    return any(2) ? any(4) : 0;
}

static MPI_Datatype basic(void)
{
    switch (any(5)) {
    case 0: return MPI_CHAR;
    case 1: return MPI_SHORT;
    case 2: return MPI_INT;
    case 3: return MPI_DOUBLE;
    default: return MPI_BYTE;
    }
}

static MPI_Datatype construct(int which, MPI_Datatype old, MPI_Datatype other)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    int lengths[3] = {few(), few(), few()}, at[3] = {any(5), 5 + any(5) - 2, any(12) - 3}, count = any(4);
    MPI_Aint bytes[3] = {any(40) - 8, any(40), any(60) - 20};
    MPI_Datatype types[3] = {old, other, basic()};
    switch (which) {
    case 0: MPI_Type_contiguous(few(), old, &made); break;
    case 1: MPI_Type_vector(few(), 1 + any(3), any(7) - 3, old, &made); break;
    case 2: MPI_Type_create_hvector(few(), 1 + any(3), any(50) - 20, old, &made); break;
    case 3: MPI_Type_indexed(count, lengths, at, old, &made); break;
    case 4: MPI_Type_create_hindexed(count, lengths, bytes, old, &made); break;
    case 5: MPI_Type_create_indexed_block(count, 1 + any(3), at, old, &made); break;
    case 6: MPI_Type_create_hindexed_block(count, 1 + any(3), bytes, old, &made); break;
    case 7: case 8: MPI_Type_create_struct(count, lengths, bytes, types, &made); break;
    case 9: MPI_Type_create_resized(old, any(20) - 6, any(30), &made); break;
    case 10: MPI_Type_dup(old, &made); break;
    default: {
        int sizes[2] = {4, 3}, sub[2] = {1 + any(3), 1 + any(2)}, starts[2] = {any(2), any(2)};
        MPI_Type_create_subarray(2, sizes, sub, starts, any(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, &made);
    }
    }
    return made;
}

static void show(int number, MPI_Datatype type)
{
    int bytes;
    MPI_Aint lb, extent;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    say("%d: %d bytes, %ld + %ld\n", number, bytes, (long)lb, (long)extent);
}

static void forget(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(&type);
}

static MPI_Datatype nest(int depth)
{
    if (depth == 0)
        return basic();
    MPI_Datatype old = nest(any(depth)), other = nest(any(depth)), made = construct(any(CONSTRUCTORS), old, other);
    forget(old);
    forget(other);
    return made;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < RANDOM; i++) {
        state = 7919ull * i + 17;
        MPI_Datatype type = nest(1 + i % DEPTH);
        show(i, type);
        MPI_Type_free(&type);
    }
    return finish();
}
