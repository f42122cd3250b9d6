// A program that knows nothing of folding: large memory in every way, small memory that must stay its own.
#include <malloc.h>
#include <mpi.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const size_t LARGE = 64 << 20;
static char *early = (char *)malloc(LARGE);

/// How much of memory that grows and shrinks is not as it should be.
static int grow_and_shrink() {
    int bad = 0;
    char *grown = (char *)malloc(1000);
    strcpy(grown, "kept");
    grown = (char *)realloc(grown, 3 << 20);
    bad += strcmp(grown, "kept") != 0;
    bad += malloc_usable_size(grown) < 3 << 20;
    grown = (char *)realloc(grown, 5 << 20);
    grown = (char *)realloc(grown, 2 << 20);
    strcpy(grown, "again");
    grown = (char *)realloc(grown, 100);
    bad += strcmp(grown, "again") != 0;
    free(grown);
    return bad;
}

int main(int argc, char **argv) {
    std::vector<double> before(LARGE / 8, 1.5);
    MPI_Init(&argc, &argv);
    int rank, size, bad = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(early, rank, LARGE);
    char *cleared = (char *)calloc(LARGE / 8, 8);
    cleared[LARGE - 1] = 1;
    // Growing out of small memory and back. What is in large memory may be overwritten by other ranks, so they take turns.
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == rank) bad += grow_and_shrink();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    void *aligned = nullptr;
    bad += posix_memalign(&aligned, 1 << 21, 5 << 20) != 0 || (uintptr_t)aligned % (1 << 21) != 0;
    memset(aligned, 3, 5 << 20);
    bad += posix_memalign(&aligned, 24, 5 << 20) == 0;
    char *page = (char *)aligned_alloc(4096, 8192);
    bad += (uintptr_t)page % 4096 != 0;
    free(page);
    bad += malloc(SIZE_MAX / 2) != nullptr;
    for (int i = 0; i < 2000; i++) {
        char *often = (char *)malloc((2 << 20) + 4096 * (i % 7));
        often[0] = 1;
        free(often);
    }
    MPI_Alltoall(early, LARGE / size, MPI_CHAR, before.data(), LARGE / size, MPI_CHAR, MPI_COMM_WORLD);
    // Memory below the size, and what MPI itself needs, is nobody else's.
    std::vector<int> mine(100000, rank), got(100000);
    MPI_Datatype column;
    MPI_Type_vector(50000, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Sendrecv(mine.data(), 1, column, to, 0, got.data(), 1, column, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100000; i += 2) bad += got[i] != from;
    MPI_Type_free(&column);
    free(early);
    free(cleared);
    free(aligned);
    int sum;
    MPI_Reduce(&bad, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("bad %d\n", sum);
    MPI_Finalize();
}
