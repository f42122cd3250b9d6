/* Sample sort: local sort, splitters from regular samples, one Alltoallv, local sort again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOTAL = 3400 };

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static unsigned key(unsigned i) { return (i * 2654435761u) % 100003; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int first = TOTAL * rank / size, mine = TOTAL * (rank + 1) / size - first;
    unsigned *keys = malloc(mine * sizeof *keys);
    for (int i = 0; i < mine; i++) keys[i] = key(first + i);
    qsort(keys, mine, sizeof *keys, compare);

    unsigned samples[size], all[size * size], splitters[size];
    for (int i = 0; i < size; i++) samples[i] = keys[(long)mine * i / size];
    MPI_Allgather(samples, size, MPI_UNSIGNED, all, size, MPI_UNSIGNED, MPI_COMM_WORLD);
    qsort(all, size * size, sizeof *all, compare);
    for (int i = 1; i < size; i++) splitters[i] = all[i * size];

    int send[size], send_at[size], recv[size], recv_at[size];
    for (int r = 0, i = 0; r < size; r++) {
        send_at[r] = i;
        while (i < mine && (r == size - 1 || keys[i] < splitters[r + 1])) i++;
        send[r] = i - send_at[r];
    }
    MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
    int got = 0;
    for (int r = 0; r < size; r++) {
        recv_at[r] = got;
        got += recv[r];
    }
    unsigned *bucket = malloc((got + 1) * sizeof *bucket);
    MPI_Alltoallv(keys, send, send_at, MPI_UNSIGNED, bucket, recv, recv_at, MPI_UNSIGNED, MPI_COMM_WORLD);
    qsort(bucket, got, sizeof *bucket, compare);

    int counts[size], starts[size];
    MPI_Gather(&got, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    unsigned sorted[TOTAL];
    if (rank == 0)
        for (int r = 0, at = 0; r < size; at += counts[r++]) starts[r] = at;
    MPI_Gatherv(bucket, got, MPI_UNSIGNED, sorted, counts, starts, MPI_UNSIGNED, 0, MPI_COMM_WORLD);

    int right = 1;
    if (rank == 0) {
        unsigned long sum = 0, expected = 0;
        for (int i = 0; i < TOTAL; i++) {
            sum += sorted[i];
            expected += key(i);
            if (i) right &= sorted[i - 1] <= sorted[i];
        }
        right &= sum == expected;
        printf("%d keys %s, sum %lu\n", TOTAL, right ? "sorted" : "NOT SORTED", sum);
        for (int i = 0; i < TOTAL; i += TOTAL / 8) printf("key %4d: %u\n", i, sorted[i]);
    }
    free(keys);
    free(bucket);
    MPI_Finalize();
    return right ? 0 : 1;
}
