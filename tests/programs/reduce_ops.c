/* Every predefined operation on the main types it is defined for, by Reduce and Allreduce. */
#include "check.h"
#include <stdbool.h>
#include <stdint.h>

/* The expected value is computed locally with the C operator `step` applied over all ranks' values. */
#define REDUCE(ctype, mpitype, name, op, value_of_r, step)                                     \
    do {                                                                                       \
        ctype mine[2], sum[2], top[2], want = 0;                                               \
        for (int r = 0; r < size; r++) {                                                       \
            ctype v = (ctype)(value_of_r);                                                     \
            if (r == rank) mine[0] = v, mine[1] = v;                                           \
            if (r == 0) want = v;                                                              \
            else want = (ctype)(step);                                                         \
        }                                                                                      \
        MPI_Allreduce(mine, sum, 2, mpitype, op, MPI_COMM_WORLD);                              \
        top[0] = top[1] = 0;                                                                   \
        MPI_Reduce(mine, top, 2, mpitype, op, size - 1, MPI_COMM_WORLD);                       \
        CHECK(sum[0] == want && sum[1] == want);                                               \
        CHECK(rank != size - 1 || (top[0] == want && top[1] == want));                         \
        if (rank == 0) say("%s %s %ld\n", #op, name, (long)want);                              \
    } while (0)

#define ARITHMETIC_(ctype, mpitype, name)                                                      \
    REDUCE(ctype, mpitype, name, MPI_SUM, r % 5 + 1, want + v);                                \
    REDUCE(ctype, mpitype, name, MPI_PROD, r % 3 == 1 ? 2 : 1, want * v);                      \
    REDUCE(ctype, mpitype, name, MPI_MAX, (r * 7 + 3) % 11, v > want ? v : want);              \
    REDUCE(ctype, mpitype, name, MPI_MIN, (r * 7 + 3) % 11, v < want ? v : want)

#define LOGICAL_(ctype, mpitype, name)                                                         \
    REDUCE(ctype, mpitype, name, MPI_LAND, r + 1, want && v);                                  \
    REDUCE(ctype, mpitype, name, MPI_LAND, r % 3, want && v);                                  \
    REDUCE(ctype, mpitype, name, MPI_LOR, r == 2, want || v);                                  \
    REDUCE(ctype, mpitype, name, MPI_LXOR, r % 2, !want != !v)

#define BITWISE_(ctype, mpitype, name)                                                         \
    REDUCE(ctype, mpitype, name, MPI_BAND, 0x5f | r, want & v);                                \
    REDUCE(ctype, mpitype, name, MPI_BOR, 1 << (r % 7), want | v);                             \
    REDUCE(ctype, mpitype, name, MPI_BXOR, r * 5, want ^ v)

#define INTEGER_(ctype, mpitype, name)                                                         \
    ARITHMETIC_(ctype, mpitype, name);                                                         \
    if (size > 1) { LOGICAL_(ctype, mpitype, name); }                                          \
    BITWISE_(ctype, mpitype, name)

/* The name is taken here, before the library's header turns it into something else. */
#define INTEGER(ctype, mpitype) INTEGER_(ctype, mpitype, #mpitype)
#define ARITHMETIC(ctype, mpitype) ARITHMETIC_(ctype, mpitype, #mpitype)
#define LOGICAL(ctype, mpitype) LOGICAL_(ctype, mpitype, #mpitype)
#define BITWISE(ctype, mpitype) BITWISE_(ctype, mpitype, #mpitype)

int main(int argc, char **argv)
{
    start(&argc, &argv);
    INTEGER(int, MPI_INT);
    INTEGER(long, MPI_LONG);
    INTEGER(short, MPI_SHORT);
    INTEGER(signed char, MPI_SIGNED_CHAR);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGER(unsigned, MPI_UNSIGNED);
    INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    INTEGER(long long, MPI_LONG_LONG);
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    INTEGER(int8_t, MPI_INT8_T);
    INTEGER(int16_t, MPI_INT16_T);
    INTEGER(int32_t, MPI_INT32_T);
    INTEGER(int64_t, MPI_INT64_T);
    INTEGER(uint8_t, MPI_UINT8_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(uint32_t, MPI_UINT32_T);
    INTEGER(uint64_t, MPI_UINT64_T);
    INTEGER(MPI_Aint, MPI_AINT);
    INTEGER(MPI_Count, MPI_COUNT);
    ARITHMETIC(float, MPI_FLOAT);
    ARITHMETIC(double, MPI_DOUBLE);
    ARITHMETIC(long double, MPI_LONG_DOUBLE);
    BITWISE(unsigned char, MPI_BYTE);
    if (size > 1) { LOGICAL(bool, MPI_C_BOOL); }
    return finish();
}
