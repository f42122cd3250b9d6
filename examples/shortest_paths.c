/* All shortest paths (Floyd-Warshall), rows shared out: in round k the owner of row k broadcasts it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 30, FAR = 1000000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Row i lives on rank i % size. Edges go from i to i+1 (cost 3) and to 4i+1 (cost 5). */
    int (*row)[N] = malloc(sizeof(int[N][N]));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) row[i][j] = i == j ? 0 : j == (4 * i + 1) % N ? 5 : j == (i + 1) % N ? 3 : FAR;

    for (int k = 0; k < N; k++) {
        int through[N];
        if (rank == k % size) memcpy(through, row[k], sizeof through);
        MPI_Bcast(through, N, MPI_INT, k % size, MPI_COMM_WORLD);
        for (int i = rank; i < N; i += size)
            for (int j = 0; j < N; j++)
                if (row[i][k] + through[j] < row[i][j]) row[i][j] = row[i][k] + through[j];
    }

    long sum = 0, total;
    int longest = 0, diameter;
    for (int i = rank; i < N; i += size)
        for (int j = 0; j < N; j++) {
            sum += row[i][j];
            if (row[i][j] > longest) longest = row[i][j];
        }
    MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&longest, &diameter, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("diameter %d, sum of all distances %ld\nfrom node 0:", diameter, total);
        for (int j = 0; j < N; j++) printf(" %d", row[0][j]);
        printf("\n");
    }
    free(row);
    MPI_Finalize();
    return rank == 0 && diameter >= FAR;
}
