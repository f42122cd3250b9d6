/* Info objects: set, get, length, replace, delete, count and n-th key, dup. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Info info, copy;
    char value[64] = "", key[MPI_MAX_INFO_KEY];
    int flag, n, length;
    MPI_Info_create(&info);
    MPI_Info_get_nkeys(info, &n);
    CHECK(n == 0);
    MPI_Info_set(info, "colour", "red");
    MPI_Info_set(info, "shape", "a large circle");
    MPI_Info_set(info, "colour", "blue");
    MPI_Info_get_nkeys(info, &n);
    MPI_Info_get(info, "colour", 63, value, &flag);
    CHECK(n == 2 && flag && strcmp(value, "blue") == 0);
    MPI_Info_get_valuelen(info, "shape", &length, &flag);
    CHECK(flag && length == 14);
    MPI_Info_get(info, "size", 63, value, &flag);
    CHECK(!flag);
    int seen = 0;
    for (int i = 0; i < n; i++) {
        MPI_Info_get_nthkey(info, i, key);
        seen += strcmp(key, "colour") == 0 ? 1 : strcmp(key, "shape") == 0 ? 10 : 100;
    }
    CHECK(seen == 11);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "colour");
    MPI_Info_get_nkeys(info, &n);
    CHECK(n == 1);
    MPI_Info_get_nkeys(copy, &n);
    MPI_Info_get(copy, "shape", 63, value, &flag);
    CHECK(n == 2 && flag);
    say("%d copy still has %d keys, shape \"%s\"\n", rank, n, value);
    MPI_Info_free(&info), MPI_Info_free(&copy);
    CHECK(info == MPI_INFO_NULL);
    return finish();
}
