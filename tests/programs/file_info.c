/* Hints: what the program sets is kept where the library knows it. */
#include "file.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_File fh;
    MPI_Info info, used;
    char value[MPI_MAX_INFO_VAL + 1];
    int flag;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "1048576");
    MPI_Info_set(info, "cb_nodes", "1");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "no_such_hint", "x");
    new_scratch();
    MPI_File_open(MPI_COMM_WORLD, scratch, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh);
    MPI_File_get_info(fh, &used);
    const char *keys[] = {"cb_buffer_size", "cb_nodes", "romio_cb_write", "romio_cb_read", "no_such_hint", "ind_rd_buffer_size"};
    for (int i = 0; i < 6; i++) {
        MPI_Info_get(used, keys[i], MPI_MAX_INFO_VAL, value, &flag);
        say("%s: %s\n", keys[i], flag ? value : "none");
    }
    MPI_Info_free(&used);
    MPI_Info_set(info, "cb_buffer_size", "2097152");
    MPI_File_set_info(fh, info);
    int mine[5] = {rank, rank, rank, rank, rank};
    MPI_Datatype every;
    MPI_Type_vector(5, 1, size, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(fh, 4 * rank, MPI_INT, every, "native", info);
    MPI_File_write_all(fh, mine, 5, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&every);
    MPI_Info_free(&info);
    show_ints(scratch);
    close_and_delete(&fh);
    return finish();
}
