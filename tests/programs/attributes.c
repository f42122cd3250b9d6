/* Attributes: keyvals with copy and delete callbacks on dup, replace, delete and free; predefined ones. */
#include "check.h"

static int copies, deletes, last_deleted, state = 42;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    CHECK(extra == &state);
    copies++;
    *(long *)out = (long)in + 100;
    *flag = (long)in % 2;                            /* odd values are inherited */
    return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key;
    CHECK(extra == &state);
    deletes++;
    last_deleted = (int)(long)value;
    return MPI_SUCCESS;
}

static long get(MPI_Comm comm, int key)
{
    void *value;
    int flag;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    return flag ? (long)value : -1;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int key, plain, kept;
    MPI_Comm a, b;
    MPI_Comm_create_keyval(copy, forget, &key, &state);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &kept, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    CHECK(get(a, key) == -1 && copies == 0);

    MPI_Comm_set_attr(a, key, (void *)7L);
    MPI_Comm_set_attr(a, plain, (void *)8L);
    MPI_Comm_set_attr(a, kept, (void *)9L);
    MPI_Comm_dup(a, &b);
    say("%d dup: %ld %ld %ld, copies %d\n", rank, get(b, key), get(b, plain), get(b, kept), copies);
    CHECK(get(b, key) == 107 && get(b, plain) == -1 && get(b, kept) == 9 && copies == 1);

    MPI_Comm_set_attr(b, key, (void *)6L);           /* replacing deletes the old value */
    CHECK(deletes == 1 && last_deleted == 107 && get(b, key) == 6);
    MPI_Comm c;
    MPI_Comm_dup(b, &c);                             /* even: not inherited */
    CHECK(get(c, key) == -1 && copies == 2 && deletes == 1);
    MPI_Comm_delete_attr(b, key);
    CHECK(deletes == 2 && last_deleted == 6 && get(b, key) == -1);
    MPI_Comm_free(&b), MPI_Comm_free(&c);
    CHECK(deletes == 2);
    MPI_Comm_free(&a);
    CHECK(deletes == 3 && last_deleted == 7);
    say("%d deletes %d, last %d\n", rank, deletes, last_deleted);

    /* split does not copy; the keyval may be freed while in use. */
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_set_attr(a, key, (void *)11L);
    MPI_Comm_split(a, 0, rank, &b);
    CHECK(get(b, key) == -1);
    MPI_Comm_free(&b);
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm_free(&a);
    CHECK(deletes == 4 && last_deleted == 11);
    MPI_Comm_free_keyval(&plain), MPI_Comm_free_keyval(&kept);

    int *value, flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    CHECK(!flag || *value == 0 || *value == 1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    CHECK(flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    CHECK(flag);
    return finish();
}
