/* Start and end: Initialized, Init_thread, Query_thread, Finalized, version, processor name. */
#include "check.h"

int main(int argc, char **argv)
{
    int flag = -1, provided = -1, level = -1, main_thread = 0, version = 0, minor = -1, length = 0;
    MPI_Initialized(&flag);
    CHECK(flag == 0);
    MPI_Finalized(&flag);
    CHECK(flag == 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    learn_rank();
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED && MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    CHECK(level == provided && main_thread);
    MPI_Initialized(&flag);
    CHECK(flag == 1);
    MPI_Finalized(&flag);
    CHECK(flag == 0);

    MPI_Get_version(&version, &minor);
    CHECK(version >= 3 && minor >= 0 && version == MPI_VERSION);
    char name[MPI_MAX_PROCESSOR_NAME] = "", library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Get_processor_name(name, &length);
    CHECK(length > 0 && (int)strlen(name) == length);
    MPI_Get_library_version(library, &length);
    CHECK(length > 0 && library[0] != 0);            /* Open MPI counts the closing zero */
    CHECK(rank >= 0 && rank < size);
    CHECK(MPI_Wtick() > 0);
    say("rank %d of %d\n", rank, size);
    int code = finish();
    MPI_Initialized(&flag);                          /* these two may be called after Finalize */
    int over = 0;
    MPI_Finalized(&over);
    return code || !flag || !over;
}
