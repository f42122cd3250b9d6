/* Time only goes forward, and a sleep lasts at least as long as asked, on every clock a program may read. */
#include "check.h"
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double wtime(void) { return MPI_Wtime(); }

static double monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double realtime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double of_day(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec + 1e-6 * t.tv_usec;
}

static void by_usleep(void) { usleep(20000); }

static void by_nanosleep(void)
{
    struct timespec t = {0, 20000000};
    nanosleep(&t, NULL);
}

static void by_clock_nanosleep(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 20000000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    double (*clocks[])(void) = {wtime, monotonic, realtime, of_day};
    const char *names[] = {"MPI_Wtime", "CLOCK_MONOTONIC", "CLOCK_REALTIME", "gettimeofday"};
    void (*sleeps[])(void) = {by_usleep, by_nanosleep, by_clock_nanosleep};
    for (int c = 0; c < 4; c++) {
        double last = clocks[c]();
        int backwards = 0;
        for (int i = 0; i < 1000; i++) {
            double now = clocks[c]();
            backwards += now < last;
            last = now;
        }
        CHECK(backwards == 0);
        for (int s = 0; s < 3; s++) {
            double before = clocks[c]();
            sleeps[s]();
            double after = clocks[c]();
            CHECK(after - before > 0.0199);
            CHECK(after - before < 10);
        }
        if (rank == 0) say("%s goes forward and sleeps\n", names[c]);
    }

    /* A message cannot arrive before it was sent. */
    double sent = 0, total, late = monotonic();
    if (rank == 0) {
        usleep(30000);
        sent = 0.03;
    }
    MPI_Allreduce(&sent, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) CHECK(monotonic() - late > 0.0299);
    CHECK(total == 0.03);
    time_t a = time(NULL);
    CHECK(time(NULL) >= a && a > 0);
    return finish();
}
