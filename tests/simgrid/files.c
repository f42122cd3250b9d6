/* Every rank writes BYTES to a file of its own below FOLDER and reads them; it says how long both took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char name[4096], *data = calloc(bytes, 1);
    snprintf(name, sizeof name, "%s/file-%d", argc > 2 ? argv[2] : ".", rank);
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_File_write(file, data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    double written = MPI_Wtime();
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
    double again = MPI_Wtime();
    MPI_File_read(file, data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    double read = MPI_Wtime();
    printf("SIM files rank=%d writes seconds=%.12f\n", rank, written - begin);
    printf("SIM files rank=%d reads seconds=%.12f\n", rank, read - again);
    MPI_File_close(&file);
    free(data);
    MPI_Finalize();
    return 0;
}
