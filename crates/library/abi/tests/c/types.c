/* Every constructor of datatypes, what it yields, and what it is made of. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *combiner_name(int combiner)
{
    if (combiner == MPI_COMBINER_NAMED) return "named";
    if (combiner == MPI_COMBINER_DUP) return "dup";
    if (combiner == MPI_COMBINER_CONTIGUOUS) return "contiguous";
    if (combiner == MPI_COMBINER_VECTOR) return "vector";
    if (combiner == MPI_COMBINER_HVECTOR) return "hvector";
    if (combiner == MPI_COMBINER_INDEXED) return "indexed";
    if (combiner == MPI_COMBINER_HINDEXED) return "hindexed";
    if (combiner == MPI_COMBINER_INDEXED_BLOCK) return "indexed_block";
    if (combiner == MPI_COMBINER_HINDEXED_BLOCK) return "hindexed_block";
    if (combiner == MPI_COMBINER_STRUCT) return "struct";
    if (combiner == MPI_COMBINER_SUBARRAY) return "subarray";
    if (combiner == MPI_COMBINER_DARRAY) return "darray";
    if (combiner == MPI_COMBINER_RESIZED) return "resized";
    if (combiner == MPI_COMBINER_F90_REAL) return "f90_real";
    if (combiner == MPI_COMBINER_F90_COMPLEX) return "f90_complex";
    if (combiner == MPI_COMBINER_F90_INTEGER) return "f90_integer";
    return "?";
}

static int is_named(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* Constants of distributions have other numbers in other libraries, so the lists of darrays are not printed. */
static void contents(MPI_Datatype type)
{
    int n_integers, n_addresses, n_types, combiner, i, length;
    int integers[32];
    MPI_Aint addresses[32];
    MPI_Datatype types[32];
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
    printf("  %s: %d %d %d", combiner_name(combiner), n_integers, n_addresses, n_types);
    if (combiner == MPI_COMBINER_NAMED) {
        printf("\n");
        return;
    }
    MPI_Type_get_contents(type, 32, 32, 32, integers, addresses, types);
    if (combiner == MPI_COMBINER_SUBARRAY)
        n_integers--;
    if (combiner != MPI_COMBINER_DARRAY)
        for (i = 0; i < n_integers; i++)
            printf(" i%d", integers[i]);
    for (i = 0; i < n_addresses; i++)
        printf(" a%ld", (long)addresses[i]);
    for (i = 0; i < n_types; i++) {
        if (is_named(types[i])) {
            MPI_Type_get_name(types[i], name, &length);
            printf(" %s", name);
        } else {
            printf(" derived");
            MPI_Type_free(&types[i]);
        }
    }
    printf("\n");
}

static void show(const char *title, MPI_Datatype type)
{
    int size;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Count size_x, lb_x, extent_x;

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_size_x(type, &size_x);
    MPI_Type_get_extent_x(type, &lb_x, &extent_x);
    if (size_x != size || lb_x != lb || extent_x != extent)
        printf("the large counts differ\n");
    printf("%s: size %d, [%ld, %ld), true [%ld, %ld)\n", title, size, (long)lb, (long)(lb + extent), (long)true_lb,
           (long)(true_lb + true_extent));
    contents(type);
}

static void show_and_free(const char *title, MPI_Datatype type)
{
    MPI_Type_commit(&type);
    show(title, type);
    MPI_Type_free(&type);
    if (type != MPI_DATATYPE_NULL)
        printf("not freed\n");
}

int main(int argc, char **argv)
{
    MPI_Datatype type, vector, members[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    int lengths[3] = {1, 2, 3}, places[3] = {5, 0, 9};
    MPI_Aint displacements[3] = {0, 8, 32}, base, other;
    int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 4}, starts[3] = {1, 2, 0};
    int gsizes[2] = {10, 12}, distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, psizes[2] = {2, 3};
    int array[4], length, size;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Init(&argc, &argv);
    show("int", MPI_INT);
    show("double_int", MPI_DOUBLE_INT);
    show("short_int", MPI_SHORT_INT);
    show("long_double", MPI_LONG_DOUBLE);
    MPI_Type_contiguous(7, MPI_INT, &type);
    show_and_free("contiguous", type);
    MPI_Type_contiguous(0, MPI_INT, &type);
    show_and_free("nothing", type);
    MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
    MPI_Type_set_name(vector, "columns");
    show("vector", vector);
    MPI_Type_vector(3, 2, -4, MPI_INT, &type);
    show_and_free("backwards", type);
    MPI_Type_create_hvector(3, 2, 100, vector, &type);
    show_and_free("hvector", type);
    MPI_Type_indexed(3, lengths, places, MPI_SHORT, &type);
    show_and_free("indexed", type);
    MPI_Type_create_hindexed(3, lengths, displacements, MPI_SHORT, &type);
    show_and_free("hindexed", type);
    MPI_Type_create_indexed_block(3, 2, places, MPI_LONG, &type);
    show_and_free("indexed_block", type);
    MPI_Type_create_hindexed_block(3, 2, displacements, MPI_LONG, &type);
    show_and_free("hindexed_block", type);
    MPI_Type_create_struct(3, lengths, displacements, members, &type);
    show_and_free("struct", type);
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    show_and_free("subarray in C", type);
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    show_and_free("subarray in Fortran", type);
    MPI_Type_create_darray(6, 4, 2, gsizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_FLOAT, &type);
    show_and_free("darray", type);
    MPI_Type_create_resized(vector, -8, 96, &type);
    show_and_free("resized", type);
    MPI_Type_dup(vector, &type);
    MPI_Type_get_name(type, name, &length);
    printf("the name of a duplicate has %d characters\n", length);
    show_and_free("dup", type);
    MPI_Type_free(&vector);

    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    printf("%s %d %d\n", name, length, (int)strlen(name));
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    MPI_Type_size(type, &size);
    printf("match %d\n", size);
    MPI_Type_create_f90_real(6, 30, &type);
    show("f90_real", type);
    MPI_Type_create_f90_complex(15, MPI_UNDEFINED, &type);
    show("f90_complex", type);
    MPI_Type_create_f90_integer(9, &type);
    show("f90_integer", type);

    MPI_Get_address(&array[1], &base);
    MPI_Get_address(&array[3], &other);
    printf("addresses %ld, %d\n", (long)MPI_Aint_diff(other, base), MPI_Aint_add(base, 8) == other);
    MPI_Finalize();
    return 0;
}
