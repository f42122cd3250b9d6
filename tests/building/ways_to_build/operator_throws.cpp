// An operator that throws inside a reduction: the exception leaves the MPI call of the rank that ran the operator, all
// other ranks go on, and MPI works afterwards. Each rank prints how many exceptions it has caught.
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <stdexcept>
#include <vector>

static int rank, size, caught;

static void add(void *in, void *inout, int *count, MPI_Datatype *)
{
    int *from = static_cast<int *>(in), *to = static_cast<int *>(inout);
    for (int i = 0; i < *count; i++) {
        if (from[i] < 0 || to[i] < 0) throw std::runtime_error("negative");
        to[i] += from[i];
    }
}

template <typename Call> static void attempt(Call call)
{
    try {
        call();
    } catch (const std::runtime_error &) {
        caught++;
    }
}

/// The operator works, and so does everything else.
static void works(MPI_Op op)
{
    int sum = 0, mine = rank, next = (rank + 1) % size, token = rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2) std::printf("%d: the sum is %d\n", rank, sum), std::exit(1);
    MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 0, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int large = argc > 1 ? std::atoi(argv[1]) : 1;
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    std::vector<int> bad(large, rank == size / 2 ? -1 : 1), result(large);
    for (int time = 0; time < 3; time++) {
        attempt([&] { MPI_Reduce(bad.data(), result.data(), large, MPI_INT, op, 0, MPI_COMM_WORLD); });
        works(op);
        attempt([&] { MPI_Allreduce(bad.data(), result.data(), large, MPI_INT, op, MPI_COMM_WORLD); });
        works(op);
        attempt([&] { MPI_Scan(bad.data(), result.data(), large, MPI_INT, op, MPI_COMM_WORLD); });
        works(op);
        MPI_Request request = MPI_REQUEST_NULL;
        attempt([&] { MPI_Iallreduce(bad.data(), result.data(), large, MPI_INT, op, MPI_COMM_WORLD, &request); });
        attempt([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
        if (request != MPI_REQUEST_NULL) std::printf("%d: the request is still there\n", rank), std::exit(1);
        works(op);
    }
    MPI_Op_free(&op);
    int all = 0;
    MPI_Reduce(&caught, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%s\n", all >= 12 ? "caught" : "not all caught");
    MPI_Finalize();
}
