/* Where each rank is and what its environment says, in rank order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "-";
}

int main(int argc, char **argv)
{
    char line[1024] = {0}, *lines = NULL, host[MPI_MAX_PROCESSOR_NAME];
    int rank, size, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    snprintf(line, sizeof line, "%d/%d %s", rank, size, host);
    for (int i = 1; i < argc; i++) {
        strcat(line, " ");
        strcat(line, strchr(argv[i], '_') ? variable(argv[i]) : argv[i]);
    }
    if (rank == 0) lines = malloc((size_t)size * sizeof line);
    MPI_Gather(line, sizeof line, MPI_CHAR, lines, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) puts(lines + r * sizeof line);
    free(lines);
    MPI_Finalize();
    return 0;
}
