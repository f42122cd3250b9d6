/* Loops that only ask: each ends because simulated time passes. Prints how long each took. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, v = 0;
    MPI_Request q;
    double begin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    begin = MPI_Wtime();
    while (MPI_Wtime() < begin + 0.01) ;
    if (rank == 0) printf("wtime %.9f\n", MPI_Wtime() - begin);
    MPI_Barrier(MPI_COMM_WORLD);

    begin = MPI_Wtime();
    if (rank == 1) {
        usleep(20000);
        MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Irecv(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q);
        while (!flag) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
        printf("test %.9f\n", MPI_Wtime() - begin);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    begin = MPI_Wtime();
    if (rank == 1) {
        usleep(30000);
        MPI_Send(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else if (rank == 0) {
        for (flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        printf("iprobe %.9f\n", MPI_Wtime() - begin);
        MPI_Recv(&v, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    begin = MPI_Wtime();
    if (rank == 1) usleep(40000);
    MPI_Ibarrier(MPI_COMM_WORLD, &q);
    for (flag = 0; !flag;) MPI_Testall(1, &q, &flag, MPI_STATUSES_IGNORE);
    if (rank == 0) printf("ibarrier %.9f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
