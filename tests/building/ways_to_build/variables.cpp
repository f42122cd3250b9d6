// State of every kind that ranks must not share, however the program was compiled and linked: `main` prints what this rank
// finds. With an argument it is told to fail in one way.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <vector>

static int global = 5;
static std::vector<int> made_at_the_start(3, 1);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    global += rank;
    made_at_the_start.push_back(rank);
    std::cout.precision(rank + 2);
    MPI_Barrier(MPI_COMM_WORLD);
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &error) {
        std::cout << rank << ' ' << global << ' ' << made_at_the_start.size() << ' ' << 3.14159 << ' ' << error.what() << std::endl;
    }
    std::fprintf(stderr, "%s", "");
    MPI_Finalize();
    return 0;
}
