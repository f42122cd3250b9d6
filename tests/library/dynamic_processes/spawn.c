/* There is no room for processes that are started later: an error, which the program can handle. */
#include "../../programs/check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    int *universe, found, class, codes[2] = { 0, 0 };
    MPI_Comm other = MPI_COMM_SELF;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
    CHECK(found && *universe == size);
    if (argc > 1)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, codes);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_SPAWN && other == MPI_COMM_NULL);
    CHECK(rank != 0 || (codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN));
    char *commands[] = { argv[0], argv[0] };
    int most[] = { 1, 1 };
    MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
    code = MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_SPAWN);
    if (argc > 1) {
        codes[0] = codes[1] = 0;
        code = MPI_Comm_spawn("./no/such/program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &other, codes);
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_SPAWN && (rank != size - 1 || codes[1] == MPI_ERR_SPAWN));
    }
    say("no room\n");
    return finish();
}
