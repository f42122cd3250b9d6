/* C++: std::vector buffers, exceptions thrown across functions, destructors that free communicators. */
#include "check.h"
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

struct Communicator {
    MPI_Comm comm;
    explicit Communicator(int colour) { MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &comm); }
    ~Communicator() { MPI_Comm_free(&comm); }
    Communicator(const Communicator &) = delete;
};

struct mpi_error : std::runtime_error {
    int error_class;
    explicit mpi_error(int code) : std::runtime_error("MPI error") { MPI_Error_class(code, &error_class); }
};

static void check(int code)
{
    if (code != MPI_SUCCESS) throw mpi_error(code);
}

static std::vector<double> gather(const std::vector<double> &mine, MPI_Comm comm)
{
    int n, count = static_cast<int>(mine.size());
    MPI_Comm_size(comm, &n);
    std::vector<int> counts(n), places(n);
    check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
    std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
    std::vector<double> all(std::accumulate(counts.begin(), counts.end(), 0));
    check(MPI_Allgatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, comm));
    return all;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    {
        Communicator half(rank % 2);
        std::vector<double> mine(rank % 3 + 1, rank);
        std::vector<double> all = gather(mine, half.comm);
        double sum = std::accumulate(all.begin(), all.end(), 0.0), want = 0;
        for (int r = rank % 2; r < size; r += 2) want += r * (r % 3 + 1);
        CHECK(sum == want);
        say("%d half has %d numbers, sum %.0f\n", rank, static_cast<int>(all.size()), sum);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int caught = 0;
    try {
        Communicator other(0);                       /* freed while the exception passes */
        check(MPI_Send(&caught, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD));
        CHECK(false);
    } catch (const mpi_error &e) {
        caught = e.error_class == MPI_ERR_RANK;
    }
    CHECK(caught);
    std::string text = rank == 0 ? "from rank zero" : "";
    text.resize(14);
    MPI_Bcast(&text[0], 14, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(text == "from rank zero");
    say("%d caught %d, %s\n", rank, caught, text.c_str());
    return finish();
}
