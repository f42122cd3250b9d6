/* Communicators of one rank, the life of MPI, and the clock. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int flag, rank, size, result, length, provided;
    char name[MPI_MAX_OBJECT_NAME], host[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm dup, split, none;
    time_t start = time(NULL);
    MPI_Initialized(&flag);
    printf("initialized %d\n", flag);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    printf("serialized %d\n", provided == MPI_THREAD_SERIALIZED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Is_thread_main(&flag);
    printf("rank %d of %d, main %d\n", rank, size, flag);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
    printf("congruent %d\n", result == MPI_CONGRUENT);
    MPI_Comm_set_name(dup, "double");
    MPI_Comm_get_name(dup, name, &length);
    printf("name %s %d\n", name, length);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    printf("name %s\n", name);
    MPI_Comm_split(dup, 3, 0, &split);
    MPI_Comm_split(dup, MPI_UNDEFINED, 0, &none);
    MPI_Comm_size(split, &size);
    printf("split %d none %d\n", size, none == MPI_COMM_NULL);
    MPI_Comm_free(&split);
    MPI_Comm_free(&dup);
    printf("freed %d\n", dup == MPI_COMM_NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &split);
    MPI_Comm_size(split, &size);
    printf("shared %d\n", size);
    MPI_Get_processor_name(host, &length);
    printf("host %d\n", length > 0 && (int)strlen(host) == length);
    double before = MPI_Wtime();
    usleep(2000);
    printf("slept %d\n", MPI_Wtime() - before >= 0.002);
    MPI_Finalize();
    MPI_Finalized(&flag);
    printf("finalized %d, on time %d\n", flag, time(NULL) - start < 60);
    return 0;
}
