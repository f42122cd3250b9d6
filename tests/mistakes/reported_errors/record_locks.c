/* Record locks exclude other ranks, and a rank waits for them in simulated time: rank 0 holds one for 2 ms, the others get it later. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, busy = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int file = open("records", O_CREAT | O_RDWR, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
    if (rank == 0)
        fcntl(file, F_SETLKW, &lock);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (rank == 0) {
        usleep(2000);
    } else {
        busy = fcntl(file, F_SETLK, &lock) != 0 && lockf(file, F_TEST, 10) != 0;
        fcntl(file, F_SETLKW, &lock);
    }
    double waited = MPI_Wtime() - start;
    lock.l_type = F_UNLCK;
    fcntl(file, F_SETLK, &lock);
    printf("rank %d: %s, waited %s 1.5 ms\n", rank, busy ? "busy" : "free", waited < 0.0015 ? "less than" : "at least");
    close(file);
    MPI_Finalize();
    return 0;
}
