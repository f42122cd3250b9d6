// Lines of std::cout appear in simulated order, flushed or not, and what ranks print last in the order of ranks.
#include <mpi.h>

#include <iostream>

int main(int argc, char **argv) {
    std::ios::sync_with_stdio(false);
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = ranks - 1; turn >= 0; turn--) {
        if (turn == rank) std::cout << "turn of " << rank << '\n';
        if (argc > 1) std::cout.flush();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    std::cout << "end of " << rank << '\n';
}
