/* Files of other communicators: each rank its own, and pairs. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh;
    MPI_Group group;
    MPI_Comm pairs;
    MPI_Status status;
    int n, me, value = 5 * rank, back = -1;
    char name[300];
    new_scratch();
    snprintf(name, sizeof name, "%s.%d", scratch, rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    MPI_File_write_all(fh, &value, 1, MPI_INT, &status);
    MPI_File_read_at_all(fh, 0, &back, 1, MPI_INT, &status);
    MPI_File_get_group(fh, &group);
    MPI_Group_size(group, &n);
    say("alone: %d, %d rank\n", back, n);
    MPI_Group_free(&group);
    MPI_File_close(&fh);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pairs);
    snprintf(name, sizeof name, "%s.pair%d", scratch, rank / 2);
    MPI_File_open(pairs, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    MPI_File_get_group(fh, &group);
    MPI_Group_size(group, &n);
    MPI_Group_rank(group, &me);
    MPI_Group_free(&group);
    MPI_File_write_ordered(fh, &rank, 1, MPI_INT, &status);
    MPI_File_read_at_all(fh, 0, &back, 1, MPI_INT, &status);
    say("rank %d of a pair of %d: first is %d\n", me, n, back);
    MPI_File_close(&fh);
    MPI_Comm_free(&pairs);
    return finish();
}
