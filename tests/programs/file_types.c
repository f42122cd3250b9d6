/* Derived datatypes in memory and in the file at the same time. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh = open_new(MPI_MODE_RDWR);
    MPI_Status status;
    struct record { int number; double value; char mark; } records[4], back[4];
    MPI_Datatype members[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, packed, record, view;
    int lengths[3] = {1, 1, 1}, elements;
    MPI_Aint places[3] = {offsetof(struct record, number), offsetof(struct record, value), offsetof(struct record, mark)};
    MPI_Type_create_struct(3, lengths, places, members, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct record), &record);
    MPI_Type_commit(&record);
    memset(records, 0, sizeof records);
    memset(back, 0, sizeof back);
    for (int i = 0; i < 4; i++) {
        records[i].number = 10 * rank + i;
        records[i].value = 0.5 * i;
        records[i].mark = 'a' + rank;
    }
    MPI_Type_contiguous(13, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(fh, 0, view, view, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(fh, 4 * rank, records, 4, record, &status);
    MPI_Get_elements(&status, record, &elements);
    say("wrote %d records, %d elements\n", got(&status, record), elements);
    MPI_File_read_at_all(fh, 4 * ((rank + 1) % size), back, 4, record, &status);
    for (int i = 0; i < 4; i++)
        say("%d %g %c; ", back[i].number, back[i].value, back[i].mark);
    say("\n");
    MPI_Offset bytes;
    MPI_File_get_size(fh, &bytes);
    say("%lld bytes\n", (long long)bytes);
    MPI_Type_free(&packed);
    MPI_Type_free(&record);
    MPI_Type_free(&view);
    close_and_delete(&fh);
    return finish();
}
