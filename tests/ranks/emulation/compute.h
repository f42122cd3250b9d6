/* compute.h: computes for so much processor time, which no emulation stretches: the work is the same with every time factor. */
#include <time.h>

static void compute(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double until = now.tv_sec + 1e-9 * now.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec + 1e-9 * now.tv_nsec < until);
}
