/* Timers follow simulated time: in the middle of a computation, in pause, and again and again. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int fired;
static void on_signal(int signal) { (void)signal; fired++; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    signal(SIGALRM, on_signal);
    signal(SIGUSR1, on_signal);
    double start = MPI_Wtime();
    if (argc > 1) {
        struct itimerval once = {{0, 0}, {0, 200000}};
        setitimer(ITIMER_REAL, &once, 0);
        for (volatile double x = 0; !fired; x += 1) {
        }
        double computed = MPI_Wtime() - start;  /* on a loaded machine the signal reaches a rank that computes somewhat late */
        printf(computed >= 0.2 && computed < 1 ? "computed until the timer expired\n" : "computed for %f s\n", computed);
    }
    fired = 0;
    start = MPI_Wtime();
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec periodic = {{0, 100000000}, {0, 300000000}}, left;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &periodic, 0);
    for (int i = 0; i < 3; i++) {
        pause();
        printf("signal %d at %.1f s\n", fired, MPI_Wtime() - start);
    }
    timer_gettime(timer, &left);
    printf("%.1f s left, every %.1f s\n", left.it_value.tv_nsec * 1e-9, left.it_interval.tv_nsec * 1e-9);
    timer_delete(timer);
    printf("slept %u\n", sleep(1));
    MPI_Finalize();
    return 0;
}
