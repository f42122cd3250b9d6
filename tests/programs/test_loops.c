/* Polling: Test, Testall, Testany and Testsome loops, each until everything has arrived. */
#include "check.h"

enum { EACH = 3 };

static int *in;
static MPI_Request *q;
static int n;

static void post(int tag)
{
    for (int i = 0; i < n; i++) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, i / EACH, tag * EACH + i % EACH, MPI_COMM_WORLD, &q[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        int value = rank * 100 + tag * EACH + i % EACH;
        MPI_Send(&value, 1, MPI_INT, i / EACH, tag * EACH + i % EACH, MPI_COMM_WORLD);
    }
}

static void verify(const char *what, int tag)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        CHECK(in[i] == i / EACH * 100 + tag * EACH + i % EACH);
        CHECK(q[i] == MPI_REQUEST_NULL);
        sum += in[i];
    }
    say("%d %s sum %ld\n", rank, what, sum);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    n = size * EACH;
    in = malloc(n * sizeof *in);
    q = malloc(n * sizeof *q);
    int *indices = malloc(n * sizeof *indices), flag, index, count;
    MPI_Status *statuses = malloc(n * sizeof *statuses), s;

    post(0);
    for (int i = 0; i < n; i++)
        for (flag = 0; !flag;) MPI_Test(&q[i], &flag, &s);
    verify("Test", 0);

    post(1);
    for (flag = 0; !flag;) MPI_Testall(n, q, &flag, statuses);
    for (int i = 0; i < n; i++) CHECK(statuses[i].MPI_SOURCE == i / EACH && statuses[i].MPI_TAG == EACH + i % EACH);
    verify("Testall", 1);

    post(2);
    for (int done = 0; done < n;) {
        MPI_Testany(n, q, &index, &flag, &s);
        if (!flag) continue;
        CHECK(index >= 0 && index < n && s.MPI_SOURCE == index / EACH);
        done++;
    }
    MPI_Testany(n, q, &index, &flag, &s);
    CHECK(flag && index == MPI_UNDEFINED);
    verify("Testany", 2);

    post(3);
    for (int done = 0; done < n;) {
        MPI_Testsome(n, q, &count, indices, statuses);
        for (int k = 0; k < count; k++) CHECK(statuses[k].MPI_SOURCE == indices[k] / EACH);
        done += count;
    }
    MPI_Testsome(n, q, &count, indices, statuses);
    CHECK(count == MPI_UNDEFINED);
    verify("Testsome", 3);

    free(in), free(q), free(indices), free(statuses);
    return finish();
}
