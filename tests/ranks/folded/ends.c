/* Ways in which a run ends: `ends HOW`. HOW concerns the last but one rank; the others wait for it in a barrier. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 100000, VALUES = 1000 };

static int rank, size;
static char bytes[LONG];

static int deep(int n) {
  volatile char room[4096];
  room[0] = (char)n;
  return n ? deep(n + 1) + room[0] : 0;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *count; i++) ((double *)inout)[i] += ((double *)in)[i];
}

/* From the first rank to the last, one of which gives MPI an address that is not its own. */
static void send(char *from, char *to) {
  if (rank == 0) MPI_Send(from, LONG, MPI_BYTE, size - 1, 1, MPI_COMM_WORLD);
  if (rank == size - 1) MPI_Recv(to, LONG, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void reduce(void) {
  MPI_Op op;
  double mine[VALUES], sum[VALUES];
  MPI_Op_create(add, 1, &op);
  for (int i = 0; i < VALUES; i++) mine[i] = rank + i;
  MPI_Allreduce(mine, sum, VALUES, MPI_DOUBLE, op, MPI_COMM_WORLD);
  printf("rank %d has %g and %g\n", rank, sum[0], sum[VALUES - 1]);
  MPI_Op_free(&op);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *how = argc > 1 ? argv[1] : "";
  int it = rank == size - 2;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d begins\n", rank);
  if (!strcmp(how, "crash") && it) *(volatile int *)8 = 1;
  if (!strcmp(how, "abort") && it) abort();
  if (!strcmp(how, "deep") && it) return deep(1);
  if (!strcmp(how, "exit") && it) exit(7);
  if (!strcmp(how, "mpi-abort") && it) MPI_Abort(MPI_COMM_WORLD, 9);
  if (!strcmp(how, "loop") && it) for (;;) {}
  if (!strcmp(how, "deadlock")) MPI_Recv(bytes, 1, MPI_BYTE, (rank + 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(how, "bad-buffer")) send((char *)16, bytes);
  if (!strcmp(how, "bad-target")) send(bytes, (char *)16);
  if (!strcmp(how, "operator")) reduce();
  if (!strcmp(how, "work")) smpi_execute(1e-3 * (1 + rank % 3));
  if (!strcmp(how, "clock") && it) printf("it is %.9f\n", MPI_Wtime());
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d ends at %.9f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return !strcmp(how, "code") && it ? 5 : 0;
}
