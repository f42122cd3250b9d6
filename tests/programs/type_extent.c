/* Size, extent and true extent of predefined and derived types. */
#include "check.h"
#include <stdint.h>

static void show(const char *what, MPI_Datatype t)
{
    int bytes;
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_size(t, &bytes);
    MPI_Type_get_extent(t, &lower, &extent);
    MPI_Type_get_true_extent(t, &true_lower, &true_extent);
    MPI_Count big;
    MPI_Type_size_x(t, &big);
    CHECK(big == bytes);
    if (rank == 0) say("%s: size %d, extent %ld+%ld, true %ld+%ld\n", what, bytes, (long)lower, (long)extent, (long)true_lower, (long)true_extent);
}

static void show_and_free(const char *what, MPI_Datatype t)
{
    show(what, t);
    MPI_Type_free(&t);
}

#define SAME(ctype, mpitype)                          \
    do {                                              \
        int bytes;                                    \
        MPI_Aint lower, extent;                       \
        MPI_Type_size(mpitype, &bytes);               \
        MPI_Type_get_extent(mpitype, &lower, &extent);\
        CHECK(bytes == (int)sizeof(ctype) && extent == (MPI_Aint)sizeof(ctype) && lower == 0); \
    } while (0)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    SAME(char, MPI_CHAR); SAME(signed char, MPI_SIGNED_CHAR); SAME(unsigned char, MPI_UNSIGNED_CHAR); SAME(char, MPI_BYTE);
    SAME(short, MPI_SHORT); SAME(unsigned short, MPI_UNSIGNED_SHORT); SAME(int, MPI_INT); SAME(unsigned, MPI_UNSIGNED);
    SAME(long, MPI_LONG); SAME(unsigned long, MPI_UNSIGNED_LONG); SAME(long long, MPI_LONG_LONG_INT);
    SAME(unsigned long long, MPI_UNSIGNED_LONG_LONG); SAME(float, MPI_FLOAT); SAME(double, MPI_DOUBLE);
    SAME(long double, MPI_LONG_DOUBLE); SAME(wchar_t, MPI_WCHAR); SAME(int8_t, MPI_INT8_T); SAME(int16_t, MPI_INT16_T);
    SAME(int32_t, MPI_INT32_T); SAME(int64_t, MPI_INT64_T); SAME(uint8_t, MPI_UINT8_T); SAME(uint16_t, MPI_UINT16_T);
    SAME(uint32_t, MPI_UINT32_T); SAME(uint64_t, MPI_UINT64_T); SAME(MPI_Aint, MPI_AINT); SAME(MPI_Offset, MPI_OFFSET);
    SAME(MPI_Count, MPI_COUNT); SAME(float[2], MPI_C_FLOAT_COMPLEX); SAME(double[2], MPI_C_DOUBLE_COMPLEX);
    SAME(_Bool, MPI_C_BOOL); SAME(int[2], MPI_2INT);

    show("double_int", MPI_DOUBLE_INT);
    show("float_int", MPI_FLOAT_INT);
    show("long_int", MPI_LONG_INT);
    show("short_int", MPI_SHORT_INT);

    MPI_Datatype t, inner;
    int lengths[3] = {2, 1, 3}, places[3] = {4, 0, 9};
    MPI_Aint bytes[3] = {16, 3, 40};
    MPI_Datatype kinds[3] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
    MPI_Type_contiguous(3, MPI_SHORT, &t), show_and_free("contiguous", t);
    MPI_Type_vector(3, 2, 5, MPI_INT, &t), show_and_free("vector", t);
    MPI_Type_vector(3, 2, -5, MPI_INT, &t), show_and_free("vector backwards", t);
    MPI_Type_create_hvector(4, 1, 10, MPI_SHORT, &t), show_and_free("hvector", t);
    MPI_Type_indexed(3, lengths, places, MPI_INT, &t), show_and_free("indexed", t);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_CHAR, &t), show_and_free("hindexed", t);
    MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &t), show_and_free("indexed_block", t);
    MPI_Type_create_struct(3, lengths, bytes, kinds, &t), show_and_free("struct", t);
    MPI_Type_create_resized(MPI_INT, -4, 20, &t), show("resized", t);
    MPI_Type_contiguous(3, t, &inner), show_and_free("contiguous of resized", inner);
    MPI_Type_dup(t, &inner), show_and_free("dup", inner);
    MPI_Type_vector(2, 2, 3, t, &inner), show_and_free("vector of resized", inner);
    MPI_Type_free(&t);
    int sizes[2] = {4, 6}, sub[2] = {2, 3}, at[2] = {1, 2};
    MPI_Type_create_subarray(2, sizes, sub, at, MPI_ORDER_C, MPI_INT, &t), show_and_free("subarray", t);
    return finish();
}
