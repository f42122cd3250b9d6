/* One memory for all ranks: what one writes the others see, two blocks of one place are two addresses, and free gives back. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS (1 << 20)

static int *make(void) { return SMPI_SHARED_MALLOC(WORDS * sizeof(int)); }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *first = make(), *second = make();
    int *other = SMPI_SHARED_MALLOC(2 * WORDS * sizeof(int));
    if (rank == size - 1)
        for (int i = 0; i < WORDS; i++) first[i] = i + 7;
    MPI_Barrier(MPI_COMM_WORLD);
    int same = first != second && !memcmp(first, second, WORDS * sizeof(int)) && first[12345] == 12352;
    int fresh = other[0] == 0 && other[2 * WORDS - 1] == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    SMPI_SHARED_FREE(first);
    int *again = make();
    same &= again == first && again[99] == 106;
    int *ordinary = malloc(100);
    SMPI_FREE(ordinary);
    SMPI_FREE(second);
    SMPI_FREE(again);
    SMPI_FREE(other);
    printf("%d same %d fresh %d\n", rank, same, fresh);

    /* The first page and the second half are private. */
    size_t offsets[] = {4096, 1 << 20};
    char *parts = SMPI_PARTIAL_SHARED_MALLOC(2 << 20, offsets, 1);
    memset(parts, rank + 1, 2 << 20);
    MPI_Barrier(MPI_COMM_WORLD);
    int private = parts[0] == rank + 1 && parts[4095] == rank + 1 && parts[1 << 20] == rank + 1;
    int last = parts[4096], agreed, odd = 0;
    MPI_Allreduce(&last, &agreed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    /* Private parts are sent and received, whatever lies beside them. */
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    char *got = SMPI_PARTIAL_SHARED_MALLOC(2 << 20, offsets, 1);
    memset(got, 0, 2 << 20);
    MPI_Sendrecv(parts, 2 << 20, MPI_CHAR, to, 0, got, 2 << 20, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1 << 20; i < 2 << 20; i++) odd += got[i] != from + 1;
    printf("%d private %d shared %d odd %d\n", rank, private, last == agreed, odd);
    SMPI_FREE(parts);
    SMPI_FREE(got);
    MPI_Finalize();
    return 0;
}
