/* The tool interface: all variables, categories and enumerations can be looked at, and names lead back to indices. */
#include "check.h"

#define LENGTH 1024

static void look_at_cvars(void)
{
    int number, verbosity, bind, scope, name_length, text_length, index, count;
    char name[LENGTH], text[LENGTH];
    MPI_Datatype datatype;
    MPI_T_enum enumeration;
    MPI_T_cvar_handle handle;
    CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS && number > 0);
    for (int i = 0; i < number; i++) {
        name_length = text_length = LENGTH;
        CHECK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &datatype, &enumeration, text, &text_length,
                                  &bind, &scope) == MPI_SUCCESS);
        CHECK((int)strlen(name) + 1 == name_length);
        CHECK(datatype != MPI_DATATYPE_NULL);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        CHECK(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index == i);
        if (bind != MPI_T_BIND_NO_OBJECT)
            continue;
        CHECK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) == MPI_SUCCESS && count > 0);
        int size;
        MPI_Type_size(datatype, &size);
        char *value = calloc(count + 1, size);
        CHECK(MPI_T_cvar_read(handle, value) == MPI_SUCCESS);
        free(value);
        CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
    }
    /* Part of a name, and its length alone. */
    name_length = 0;
    MPI_T_cvar_get_info(0, NULL, &name_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK(name_length > 1);
    name_length = 3;
    MPI_T_cvar_get_info(0, name, &name_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK(strlen(name) == 2);
}

static void look_at_pvars(void)
{
    int number, verbosity, class, bind, readonly, continuous, atomic, name_length, index;
    char name[LENGTH];
    MPI_Datatype datatype;
    MPI_T_enum enumeration;
    CHECK(MPI_T_pvar_get_num(&number) == MPI_SUCCESS && number >= 0);
    for (int i = 0; i < number; i++) {
        name_length = LENGTH;
        CHECK(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &datatype, &enumeration, NULL, NULL,
                                  &bind, &readonly, &continuous, &atomic) == MPI_SUCCESS);
        CHECK(class >= MPI_T_PVAR_CLASS_STATE && class <= MPI_T_PVAR_CLASS_GENERIC);
        CHECK(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS && index == i);
        CHECK((readonly == 0 || readonly == 1) && (continuous == 0 || continuous == 1));
    }
}

static void look_at_categories(void)
{
    int number, cvars, pvars, categories, all, index, length, stamp;
    char name[LENGTH];
    CHECK(MPI_T_category_get_num(&number) == MPI_SUCCESS);
    for (int i = 0; i < number; i++) {
        length = LENGTH;
        CHECK(MPI_T_category_get_info(i, name, &length, NULL, NULL, &cvars, &pvars, &categories) == MPI_SUCCESS);
        CHECK(MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i);
        int *indices = calloc(cvars + 1, sizeof(int));
        MPI_T_cvar_get_num(&all);
        CHECK(MPI_T_category_get_cvars(i, cvars, indices) == MPI_SUCCESS);
        for (int j = 0; j < cvars; j++)
            CHECK(indices[j] >= 0 && indices[j] < all);
        free(indices);
    }
    CHECK(MPI_T_category_changed(&stamp) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int provided;
    /* The interface works before MPI_Init, and is initialized as often as one likes. */
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    int before, within;
    MPI_T_cvar_get_num(&before);
    start(&argc, &argv);
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    MPI_T_cvar_get_num(&within);
    CHECK(within >= before);
    look_at_cvars();
    look_at_pvars();
    look_at_categories();
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    look_at_categories();
    say("rank %d: looked\n", rank);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
    return finish();
}
