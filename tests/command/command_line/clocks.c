/* What each clock says has passed while the rank slept, in ways a program may sleep. Argument: milliseconds of each. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double calendar(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double day(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec + t.tv_usec * 1e-6;
}

static double whole(void) { return (double)time(NULL); }

static long nanos;

static struct timespec span(void) { return (struct timespec){nanos / 1000000000, nanos % 1000000000}; }

static void by_usleep(void) { usleep(nanos / 1000); }

static void by_nanosleep(void)
{
    struct timespec t = span();
    nanosleep(&t, NULL);
}

static void by_relative(void)
{
    struct timespec t = span();
    clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL);
}

static void by_absolute(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    nanos += t.tv_nsec + t.tv_sec * 1000000000;
    struct timespec until = span();
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    nanos -= t.tv_nsec + t.tv_sec * 1000000000;
}

int main(int argc, char **argv)
{
    double (*clocks[])(void) = {MPI_Wtime, monotonic, calendar, day, whole};
    const char *names[] = {"wtime", "monotonic", "realtime", "gettimeofday", "time"};
    void (*sleeps[])(void) = {by_usleep, by_nanosleep, by_relative, by_absolute};
    const char *ways[] = {"usleep", "nanosleep", "relative", "absolute"};
    nanos = atol(argv[1]) * 1000000;
    MPI_Init(&argc, &argv);
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 5; c++) {
            double begin = clocks[c]();
            sleeps[s]();
            printf("%s %s %.9f\n", ways[s], names[c], clocks[c]() - begin);
        }
    printf("day %ld\n", (long)(time(NULL) / 86400));
    MPI_Finalize();
    return 0;
}
