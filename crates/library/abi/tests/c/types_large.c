/* Datatypes made with large counts. */
#include <mpi.h>
#include <stdio.h>

static void show_and_free(const char *title, MPI_Datatype type)
{
    MPI_Count size, lb, extent, true_lb, true_extent, n[4], counts[32], i;
    MPI_Aint addresses[32];
    MPI_Datatype types[32];
    int combiner, integers[32];

    MPI_Type_size_c(type, &size);
    MPI_Type_get_extent_c(type, &lb, &extent);
    MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
    printf("%s: size %lld, [%lld, %lld), true [%lld, %lld)\n", title, (long long)size, (long long)lb,
           (long long)(lb + extent), (long long)true_lb, (long long)(true_lb + true_extent));
    MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner);
    MPI_Type_get_contents_c(type, 32, 32, 32, 32, integers, addresses, counts, types);
    printf("  %d integers, %d addresses, %d datatypes,", (int)n[0], (int)n[1], (int)n[3]);
    for (i = 0; i < n[2]; i++)
        printf(" %lld", (long long)counts[i]);
    printf("\n");
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Datatype type, members[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Count large = 3000000000, lengths[2] = {2, 1}, places[2] = {5, 0}, bytes[2] = {0, 16};
    MPI_Count sizes[2] = {100000, 100000}, subsizes[2] = {10, 10}, starts[2] = {5, 99990};
    int size;

    MPI_Init(&argc, &argv);
    MPI_Type_contiguous_c(large, MPI_INT, &type);
    MPI_Type_size(type, &size);
    printf("undefined %d\n", size == MPI_UNDEFINED);
    show_and_free("contiguous", type);
    MPI_Type_vector_c(2, 1, large, MPI_INT, &type);
    show_and_free("vector", type);
    MPI_Type_create_hvector_c(2, 1, large, MPI_INT, &type);
    show_and_free("hvector", type);
    MPI_Type_indexed_c(2, lengths, places, MPI_SHORT, &type);
    show_and_free("indexed", type);
    MPI_Type_create_hindexed_c(2, lengths, bytes, MPI_SHORT, &type);
    show_and_free("hindexed", type);
    MPI_Type_create_indexed_block_c(2, 2, places, MPI_LONG, &type);
    show_and_free("indexed_block", type);
    MPI_Type_create_hindexed_block_c(2, 2, bytes, MPI_LONG, &type);
    show_and_free("hindexed_block", type);
    MPI_Type_create_struct_c(2, lengths, bytes, members, &type);
    show_and_free("struct", type);
    MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
    show_and_free("subarray", type);
    MPI_Type_create_resized_c(MPI_INT, -4, large, &type);
    show_and_free("resized", type);
    MPI_Finalize();
    return 0;
}
