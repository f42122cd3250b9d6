/* A random program: what happens is decided by the seed, the same on all ranks. Prints what each rank has seen and when.
   It also uses what folded ranks must not share: globals, statics, thread-locals, rand(), strtok(), errno. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long plan;
static int rank, size, steps_done;
static unsigned long checksum = 1469598103934665603UL;
static __thread int depth = 7;

static unsigned pick(unsigned below) {
  plan = plan * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(plan >> 33) % below;
}

static void see(const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) checksum = (checksum ^ byte[i]) * 1099511628211UL;
}

static unsigned char *fresh(size_t bytes) {
  unsigned char *data = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(rand() >> 4);
  return data;
}

static size_t some_size(void) {
  static const size_t kinds[] = {0, 1, 8, 1000, 4096, 5000, 65536, 70000, 300000};
  return kinds[pick(sizeof kinds / sizeof *kinds)];
}

static void shift(void) {
  size_t bytes = some_size();
  int by = 1 + (int)pick((unsigned)size), to = (rank + by) % size, from = (rank - by % size + size) % size, tag = (int)pick(100);
  unsigned char *out = fresh(bytes), *in = malloc(bytes + 1);
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, to, tag, in, (int)bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  see(in, bytes);
  free(out);
  free(in);
}

static void many(void) {
  enum { MOST = 6 };
  MPI_Request requests[2 * MOST];
  unsigned char *out[MOST], *in[MOST];
  size_t bytes[MOST];
  int count = 1 + (int)pick(MOST), any = (int)pick(2);
  for (int i = 0; i < count; i++) {
    bytes[i] = some_size();
    int by = 1 + (int)pick((unsigned)size);
    in[i] = malloc(bytes[i] + 1);
    out[i] = fresh(bytes[i]);
    MPI_Irecv(in[i], (int)bytes[i], MPI_BYTE, (rank - by % size + size) % size, i, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Isend(out[i], (int)bytes[i], MPI_BYTE, (rank + by) % size, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
  }
  if (any) {
    for (int i = 0, index; i < 2 * count; i++) {
      MPI_Waitany(2 * count, requests, &index, MPI_STATUS_IGNORE);
      see(&index, sizeof index);
    }
  } else {
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < count; i++) {
    see(in[i], bytes[i]);
    free(in[i]);
    free(out[i]);
  }
}

static void collective(void) {
  int elements = 1 + (int)pick(3000), root = (int)pick((unsigned)size);
  int *mine = malloc((size_t)elements * sizeof *mine), *all = malloc((size_t)(elements * size) * sizeof *all);
  for (int i = 0; i < elements; i++) mine[i] = rand() % 1000;
  int *wide = calloc((size_t)(elements * size), sizeof *wide);
  switch (pick(8)) {
    case 0: MPI_Allreduce(mine, all, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD); see(all, (size_t)elements * 4); break;
    case 1: MPI_Bcast(mine, elements, MPI_INT, root, MPI_COMM_WORLD); see(mine, (size_t)elements * 4); break;
    case 2: MPI_Alltoall(wide, elements, MPI_INT, all, elements, MPI_INT, MPI_COMM_WORLD); see(all, (size_t)(elements * size) * 4); break;
    case 3: MPI_Gather(mine, elements, MPI_INT, all, elements, MPI_INT, root, MPI_COMM_WORLD); if (rank == root) see(all, (size_t)(elements * size) * 4); break;
    case 4: MPI_Scan(mine, all, elements, MPI_INT, MPI_MAX, MPI_COMM_WORLD); see(all, (size_t)elements * 4); break;
    case 5: MPI_Reduce(mine, all, elements, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD); if (rank == root) see(all, (size_t)elements * 4); break;
    case 6: MPI_Allgather(mine, elements, MPI_INT, all, elements, MPI_INT, MPI_COMM_WORLD); see(all, (size_t)(elements * size) * 4); break;
    default: MPI_Barrier(MPI_COMM_WORLD);
  }
  free(wide);
  free(mine);
  free(all);
}

static void halves(void) {
  MPI_Comm half;
  int colour = (rank + (int)pick(2)) % 2, sum, part;
  MPI_Comm_split(MPI_COMM_WORLD, colour, -rank, &half);
  MPI_Comm_rank(half, &part);
  MPI_Allreduce(&part, &sum, 1, MPI_INT, MPI_SUM, half);
  see(&sum, sizeof sum);
  MPI_Comm_free(&half);
}

static void private_state(void) {
  char words[] = "one two three";
  char *word = strtok(words, " ");
  errno = 100 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  int kept = errno == 100 + rank;
  while (word) {
    see(word, strlen(word));
    word = strtok(NULL, " ");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  see(&kept, sizeof kept);
  depth += rank;
  see(&depth, sizeof depth);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  plan = strtoul(argv[1], NULL, 10);
  int steps = atoi(argv[2]);
  srand((unsigned)(plan + (unsigned long)rank));
  for (; steps_done < steps; steps_done++) {
    switch (pick(8)) {
      case 0: case 1: shift(); break;
      case 2: case 3: many(); break;
      case 4: case 5: collective(); break;
      case 6: halves(); break;
      default: private_state();
    }
    printf("%d %d %lx %.12f\n", steps_done, rank, checksum, MPI_Wtime());
  }
  MPI_Finalize();
  return 0;
}
