/* The standard's own format for data. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void bytes(const char *title, const unsigned char *data, int length)
{
    int i;
    printf("%s:", title);
    for (i = 0; i < length; i++)
        printf(" %02x", data[i]);
    printf("\n");
}

static void external(void)
{
    unsigned char buffer[100];
    short numbers[2] = {1, -2}, again[2];
    double x = -1.5, y;
    long l = 5, m;
    struct {
        int i;
        double d;
        char c[2];
    } mixed = {7, 2.5, "x"}, back;
    int lengths[3] = {1, 1, 2};
    MPI_Aint places[3], position = 0, size;
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;

    memset(&back, 0, sizeof back);
    MPI_Get_address(&mixed.i, &places[0]);
    MPI_Get_address(&mixed.d, &places[1]);
    MPI_Get_address(&mixed.c, &places[2]);
    places[2] -= places[0];
    places[1] -= places[0];
    places[0] = 0;
    MPI_Type_create_struct(3, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Pack_external_size("external32", 2, MPI_SHORT, &size);
    printf("external size %d", (int)size);
    MPI_Pack_external_size("external32", 1, type, &size);
    printf(" %d", (int)size);
    MPI_Pack_external_size("external32", 3, MPI_LONG, &size);
    printf(" %d\n", (int)size);
    MPI_Pack_external("external32", numbers, 2, MPI_SHORT, buffer, 100, &position);
    MPI_Pack_external("external32", &x, 1, MPI_DOUBLE, buffer, 100, &position);
    MPI_Pack_external("external32", &mixed, 1, type, buffer, 100, &position);
    bytes("external", buffer, (int)position);
    position = 0;
    MPI_Unpack_external("external32", buffer, 100, &position, again, 2, MPI_SHORT);
    MPI_Unpack_external("external32", buffer, 100, &position, &y, 1, MPI_DOUBLE);
    MPI_Unpack_external("external32", buffer, 100, &position, &back, 1, type);
    printf("%d %d %g %d %g %s\n", again[0], again[1], y, back.i, back.d, back.c);
    position = 0;
    MPI_Pack_external("external32", &l, 1, MPI_LONG, buffer, 100, &position);
    bytes("long", buffer, (int)position);
    position = 0;
    MPI_Unpack_external("external32", buffer, 100, &position, &m, 1, MPI_LONG);
    printf("%ld\n", m);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    external();
    MPI_Finalize();
    return 0;
}
