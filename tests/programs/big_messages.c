/* Messages of 64 KiB to 3 MiB, contiguous and strided, point to point and collective. */
#include "check.h"

enum { MIB = 1 << 20 };

static unsigned char pattern(int from, size_t i) { return (unsigned char)(from * 31 + i * 7 + (i >> 11)); }

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    size_t largest = size > 8 ? MIB + 4096 : 3 * MIB;
    unsigned char *out = malloc(largest), *in = malloc(largest);
    for (size_t i = 0; i < largest; i++) out[i] = pattern(rank, i);

    size_t sizes[] = {65535, 65536, 65537, MIB, largest};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = (int)sizes[k];
        memset(in, 0, n);
        MPI_Sendrecv(out, n, MPI_BYTE, next, k, in, n, MPI_BYTE, previous, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += in[i] != pattern(previous, i);
        CHECK(wrong == 0);
        if (rank == 0) say("%s bytes right\n", sizes[k] == largest ? "the most" : k == 3 ? "1 MiB of" : "about 64 Ki");
    }

    /* Every second int of a 1 MiB buffer. */
    MPI_Datatype sparse;
    MPI_Type_vector(MIB / 8, 1, 2, MPI_INT, &sparse);
    MPI_Type_commit(&sparse);
    memset(in, 0xee, MIB);
    MPI_Sendrecv(out, 1, sparse, next, 9, in, 1, sparse, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int wrong = 0;
    for (size_t i = 0; i < MIB; i++) wrong += in[i] != (i % 8 < 4 ? pattern(previous, i) : 0xee);
    CHECK(wrong == 0);
    MPI_Type_free(&sparse);

    if (rank == size - 1) memcpy(in, out, MIB);
    MPI_Bcast(in, MIB, MPI_BYTE, size - 1, MPI_COMM_WORLD);
    wrong = 0;
    for (size_t i = 0; i < MIB; i++) wrong += in[i] != pattern(size - 1, i);
    CHECK(wrong == 0);
    if (rank == 0) say("1 MiB broadcast right\n");
    free(out), free(in);
    return finish();
}
