/* Standard output as programs really write it: printf without newline, puts, write, a long line, bytes beyond ASCII. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < size; turn++) {        /* one after the other, through rank 0 only */
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            printf("turn %d", turn);
            if (turn % 2) printf("\n");
            else puts(" is even");
        }
    }
    int failed = 0;
    if (rank == 0) {
        char line[3000];
        memset(line, 'x', sizeof line);
        line[sizeof line - 1] = '\n';
        fwrite(line, 1, sizeof line, stdout);
        fflush(stdout);
        const char direct[] = "straight to the descriptor\n";
        failed = write(STDOUT_FILENO, direct, sizeof direct - 1) != sizeof direct - 1;
        printf("caf\xc3\xa9 \xe2\x82\xac, a tab\t, no newline at the end");
    }
    MPI_Finalize();
    return failed;
}
