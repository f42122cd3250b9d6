/* Breadth-first search of a distributed graph: each level is one Alltoallv of newly found vertices. */
#include <mpi.h>
#include <cstdio>
#include <numeric>
#include <vector>

static const int VERTICES = 2000;

static std::vector<int> neighbours(int v)
{
    return {(v * 3 + 1) % VERTICES, (v + 7) % VERTICES, (v * 5 + 11) % VERTICES};
}

/* Sends each list to its rank, returns everything received. */
static std::vector<int> exchange(const std::vector<std::vector<int>> &lists)
{
    const int size = static_cast<int>(lists.size());
    std::vector<int> out(size), out_at(size + 1), in(size), in_at(size + 1), flat;
    for (int r = 0; r < size; r++) {
        out[r] = static_cast<int>(lists[r].size());
        flat.insert(flat.end(), lists[r].begin(), lists[r].end());
    }
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::partial_sum(out.begin(), out.end(), out_at.begin() + 1);
    std::partial_sum(in.begin(), in.end(), in_at.begin() + 1);
    std::vector<int> received(in_at[size]);
    MPI_Alltoallv(flat.data(), out.data(), out_at.data(), MPI_INT, received.data(), in.data(), in_at.data(), MPI_INT,
                  MPI_COMM_WORLD);
    return received;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    std::vector<int> level(VERTICES, -1), frontier;  /* vertex v belongs to rank v % size */
    if (rank == 0) level[0] = 0, frontier = {0};
    int seen = 0;
    for (int depth = 0;; depth++) {
        int mine = static_cast<int>(frontier.size()), all;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (all == 0) break;
        seen += all;
        if (rank == 0) std::printf("level %d: %d vertices\n", depth, all);
        std::vector<std::vector<int>> lists(size);
        for (int v : frontier)
            for (int w : neighbours(v)) lists[w % size].push_back(w);
        frontier.clear();
        for (int w : exchange(lists))
            if (level[w] < 0) level[w] = depth + 1, frontier.push_back(w);
    }
    if (rank == 0) std::printf("%d of %d vertices reached\n", seen, VERTICES);
    MPI_Finalize();
    return seen > 1 ? 0 : 1;
}
