/* Every form of a sampled block, and what its executions were: one line per form and rank, `x` executed, `.` skipped. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 12

static char marks[ROUNDS + 1];
static int rank;

static void clear(void) { memset(marks, '.', ROUNDS); }

static void work(int i) {
    volatile double x = i;
    for (int k = 0; k < 20000; k++) x = x * 0.999 + 1;
    marks[i] = 'x';
}

static void show(const char *form) {
    char all[16][ROUNDS + 1];
    MPI_Gather(marks, ROUNDS + 1, MPI_CHAR, all, ROUNDS + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; rank == 0 && i < size; i++) printf("%s %d %s\n", form, i, all[i]);
    clear();
}

static int leaves_early(int i) {
    SMPI_SAMPLE_LOCAL(5) {
        work(i);
        if (i == 1) return 1;
        if (i == 2) break;
        if (i == 3) continue;
        marks[i] = 'X';
    }
    return 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    clear();
    int i, after = 0;

    for (i = 0; i < ROUNDS; i++) SMPI_SAMPLE_LOCAL(3) { work(i); }
    show("local");
    for (i = 0; i < ROUNDS; i++) SMPI_SAMPLE_GLOBAL(5) { work(i); }
    show("global");
    for (i = 0; i < ROUNDS; i++) SMPI_SAMPLE_LOCAL(0) { work(i); }
    show("none");

    SMPI_SAMPLE_LOCAL(i = 0, i < ROUNDS, i++, 4, -1) { work(i); }
    after += i;
    show("loop-local");
    SMPI_SAMPLE_GLOBAL(i = 0, i < ROUNDS, i++, 6, -1) { work(i); }
    after += i;
    show("loop-global");
    /* Another run of the same loop goes on where the first ended. */
    for (int again = 0; again < 2; again++) {
        SMPI_SAMPLE_LOCAL(int j = 0, j < ROUNDS, j++, 15, -1) { work(j); }
        show(again ? "loop-second" : "loop-first");
    }
    for (int tag = 0; tag < 2; tag++) {
        SMPI_SAMPLE_LOCAL_TAG(i = 0, i < ROUNDS, i++, 2 + tag, -1, tag ? "b" : "a") { work(i); }
        show("tag-local");
    }
    SMPI_SAMPLE_GLOBAL_TAG(i = 0, i < ROUNDS, i++, 3, -1, "all") { work(i); }
    show("tag-global");
    SMPI_SAMPLE_LOCAL(i = 0, i < ROUNDS, i++, 8, -1) {
        if (i == 1) continue;
        if (i == 4) break;
        work(i);
    }
    after += i;
    show("loop-left");
    int early = 0;
    for (i = 0; i < ROUNDS; i++) early += leaves_early(i);
    show("left");

    SMPI_SAMPLE_LOCAL(i = 0, i < ROUNDS, i++, 10, 1e9) { work(i); }
    show("threshold");
    for (i = 0; i < ROUNDS; i++) MPIRAGE_SAMPLE(1e9) { work(i); }
    show("precision");
    for (i = 0; i < ROUNDS; i++) MPIRAGE_SAMPLE_GLOBAL(1e9) { work(i); }
    show("precision-global");
    for (i = 0; i < ROUNDS; i++) MPIRAGE_SAMPLE(0.02) { work(i); }
    show("precise");
    for (i = 0; i < ROUNDS; i++) SMPI_SAMPLE_DELAY(1e6) { work(i); }
    show("delay");
    for (i = 0; i < ROUNDS; i++) SMPI_SAMPLE_FLOPS(1e6) { work(i); }
    show("flops");
    if (rank == 0) printf("after %d early %d\n", after, early);
    MPI_Finalize();
    return 0;
}
