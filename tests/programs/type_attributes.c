/* Attributes on datatypes: inherited by dup, deleted with the type. */
#include "check.h"

static int deletes;

static int forget(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int key, flag;
    void *value = NULL;
    MPI_Datatype a, b;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, forget, &key, NULL);
    MPI_Type_contiguous(3, MPI_INT, &a);
    MPI_Type_get_attr(a, key, &value, &flag);
    CHECK(!flag);
    MPI_Type_set_attr(a, key, (void *)5L);
    MPI_Type_dup(a, &b);
    MPI_Type_get_attr(b, key, &value, &flag);
    CHECK(flag && (long)value == 5);
    say("%d dup has %ld\n", rank, (long)value);
    MPI_Type_free(&b);
    CHECK(deletes == 1);
    MPI_Type_delete_attr(a, key);
    CHECK(deletes == 2);
    MPI_Type_free(&a);
    CHECK(deletes == 2);
    MPI_Type_free_keyval(&key);
    return finish();
}
