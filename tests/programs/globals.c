/* Every rank has its own globals: initialised, zeroed, static in a function, in the heap, thread-local, environ. */
#include "check.h"

int initialised = 41;
int zeroed;
static double table[1000];
static const char *message = "unchanged";
_Thread_local int local_to_thread = 3;

static int next_number(void)
{
    static int calls = 10;
    return ++calls;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    initialised += rank;
    zeroed -= rank;
    local_to_thread *= rank;
    for (int i = 0; i < 1000; i++) table[i] = rank * i;
    for (int i = 0; i < rank; i++) next_number();
    if (rank % 2) message = "changed";
    char value[16];
    snprintf(value, sizeof value, "%d", rank);
    setenv("MY_OWN_RANK", value, 1);
    MPI_Barrier(MPI_COMM_WORLD);                     /* others run in between */

    CHECK(initialised == 41 + rank && zeroed == -rank && local_to_thread == 3 * rank);
    CHECK(table[999] == 999.0 * rank && atoi(getenv("MY_OWN_RANK")) == rank);
    CHECK(strcmp(message, rank % 2 ? "changed" : "unchanged") == 0);
    int number = next_number();
    CHECK(number == 11 + rank);
    srand(rank + 1);
    int a = rand(), sum;
    MPI_Allreduce(&initialised, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    srand(rank + 1);
    CHECK(a == rand());
    say("%d: %d %d %d %s, sum %d\n", rank, initialised, zeroed, number, message, sum);
    return finish();
}
