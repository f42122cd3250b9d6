/* A broadcast along a binomial tree, written by hand, beside the library's own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Returns how many hops the data has travelled when it reaches this rank. */
static int tree_bcast(void *data, int bytes, int root, MPI_Comm comm)
{
    int rank, size, hops = 0, mask = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size;            /* the root is 0 in the tree */
    while (mask < size && !(me & mask)) mask <<= 1;
    if (me) {
        int parent = (me - mask + root) % size;
        MPI_Recv(&hops, 1, MPI_INT, parent, 1, comm, MPI_STATUS_IGNORE);
        MPI_Recv(data, bytes, MPI_BYTE, parent, 2, comm, MPI_STATUS_IGNORE);
    }
    for (mask >>= 1; mask; mask >>= 1)
        if (me + mask < size) {
            int child = (me + mask + root) % size, next = hops + 1;
            MPI_Send(&next, 1, MPI_INT, child, 1, comm);
            MPI_Send(data, bytes, MPI_BYTE, child, 2, comm);
        }
    return hops;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    for (int root = 0; root < size; root += 3) {
        char by_hand[32] = "", by_library[32] = "";
        if (rank == root) {
            snprintf(by_hand, sizeof by_hand, "news from %d", root);
            memcpy(by_library, by_hand, sizeof by_hand);
        }
        int hops = tree_bcast(by_hand, sizeof by_hand, root, MPI_COMM_WORLD), deepest;
        MPI_Bcast(by_library, sizeof by_library, MPI_CHAR, root, MPI_COMM_WORLD);
        int same = strcmp(by_hand, by_library) == 0, all;
        MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        MPI_Reduce(&hops, &deepest, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%s: %s everywhere, deepest rank after %d hops\n", by_hand, all ? "same" : "DIFFERENT", deepest);
        right &= all;
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
