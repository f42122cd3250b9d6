/* smpi/smpi.h of mpirage: sampled blocks, declared work and shared memory for programs that are simulated.
 *
 * The names are those of the SMPI papers and of SimGrid. With the mpi.h of mpirage they do what they say; with any other
 * MPI they are the plain loop, block, malloc and free. docs/sampling.md and docs/shared-memory.md say what each means.
 */
#ifndef MPIRAGE_SMPI_H
#define MPIRAGE_SMPI_H

#include <mpi.h>
#include <stdlib.h>

#define MPIRAGE_JOIN1_(a, b) a##b
#define MPIRAGE_JOIN_(a, b) MPIRAGE_JOIN1_(a, b)
#define MPIRAGE_HERE_(name) MPIRAGE_JOIN_(name, __LINE__)
#define MPIRAGE_TEXT1_(text) #text
#define MPIRAGE_TEXT_(text) MPIRAGE_TEXT1_(text)

/* One argument: a block. Five: a loop. */
#define MPIRAGE_PICK_(one, two, three, four, five, name, ...) name

#define SMPI_SAMPLE_LOCAL(...)                                                                                        \
    MPIRAGE_PICK_(__VA_ARGS__, MPIRAGE_SAMPLE_LOOP_, MPIRAGE_SAMPLE_ONE_OR_FIVE_, MPIRAGE_SAMPLE_ONE_OR_FIVE_,        \
                  MPIRAGE_SAMPLE_ONE_OR_FIVE_, MPIRAGE_SAMPLE_TIMES_, 0)(0, "", __VA_ARGS__)
#define SMPI_SAMPLE_GLOBAL(...)                                                                                       \
    MPIRAGE_PICK_(__VA_ARGS__, MPIRAGE_SAMPLE_LOOP_, MPIRAGE_SAMPLE_ONE_OR_FIVE_, MPIRAGE_SAMPLE_ONE_OR_FIVE_,        \
                  MPIRAGE_SAMPLE_ONE_OR_FIVE_, MPIRAGE_SAMPLE_TIMES_, 0)(1, "", __VA_ARGS__)
#define SMPI_SAMPLE_LOCAL_TAG(init, test, step, iterations, threshold, tag)                                           \
    MPIRAGE_SAMPLE_LOOP_(0, tag, init, test, step, iterations, threshold)
#define SMPI_SAMPLE_GLOBAL_TAG(init, test, step, iterations, threshold, tag)                                          \
    MPIRAGE_SAMPLE_LOOP_(1, tag, init, test, step, iterations, threshold)

/* Until half the 95 % confidence interval of the mean is less than `precision` times the mean. */
#define MPIRAGE_SAMPLE(precision) MPIRAGE_SAMPLE_BLOCK_(0, "", 5, 0x7fffffffffffffffLL, (precision), 1)
#define MPIRAGE_SAMPLE_GLOBAL(precision) MPIRAGE_SAMPLE_BLOCK_(1, "", 5, 0x7fffffffffffffffLL, (precision), 1)

#define MPIRAGE_SAMPLE_TIMES_(global, tag, times) MPIRAGE_SAMPLE_BLOCK_(global, tag, (times), (times), -1.0, 0)

#define SMPI_FREE(data) SMPI_SHARED_FREE(data)

#ifdef MPIRAGE

#ifdef __cplusplus
extern "C" {
#endif

struct mpirage_sample {
    const char *file;
    const char *tag;
    int line;
    int global;
    long long least;
    long long most;
    double error;
    int interval;
    int open;
};

int mpirage_sample_begin(struct mpirage_sample *sample);
void mpirage_sample_end(struct mpirage_sample *sample);
int mpirage_delay(double flops);
int mpirage_work_begin(double flops);
void mpirage_work_end(int *open);

/* Work that reads and writes memory: it takes as long as its flops on one core, or as its bytes at the share of the
   socket's memory bandwidth that the rank gets, whichever is longer. */
void mpirage_execute(double flops, double bytes);
void smpi_execute(double seconds);
int mpirage_migrate(unsigned long long bytes);
void smpi_execute_benched(double seconds);
void smpi_execute_flops(double flops);
void smpi_execute_flops_benched(double flops);

void *smpi_shared_malloc(size_t size, const char *file, int line);
void *smpi_shared_malloc_partial(size_t size, const size_t *offsets, int count);
void smpi_shared_free(void *data);
int smpi_shared_known_call(const char *function, const char *input);
void *smpi_shared_get_call(const char *function, const char *input);
void *smpi_shared_set_call(const char *function, const char *input, void *data);

#ifdef __cplusplus
}
#endif

/* However a block is left, its end is noticed. */
#define MPIRAGE_AT_END_(function) __attribute__((cleanup(function)))

#define MPIRAGE_SAMPLE_HERE_(global, tag, least, most, error, interval)                                               \
    struct mpirage_sample MPIRAGE_HERE_(mpirage_sample_)                                                              \
    MPIRAGE_AT_END_(mpirage_sample_end) = {__FILE__,          (tag),           __LINE__,   (global), (long long)(least),  \
                                           (long long)(most), (double)(error), (interval), 0}

#define MPIRAGE_SAMPLE_BLOCK_(global, tag, least, most, error, interval)                                              \
    for (MPIRAGE_SAMPLE_HERE_(global, tag, least, most, error, interval),                                             \
         *MPIRAGE_HERE_(mpirage_once_) = mpirage_sample_begin(&MPIRAGE_HERE_(mpirage_sample_))                        \
             ? &MPIRAGE_HERE_(mpirage_sample_)                                                                        \
             : 0;                                                                                                     \
         MPIRAGE_HERE_(mpirage_once_); MPIRAGE_HERE_(mpirage_once_) = 0)

#define MPIRAGE_SAMPLE_LOOP_(global, tag, init, test, step, iterations, threshold)                                    \
    for (MPIRAGE_SAMPLE_HERE_(global, tag, 2, (iterations), (threshold), 0),                                          \
         *MPIRAGE_HERE_(mpirage_once_) = &MPIRAGE_HERE_(mpirage_sample_);                                             \
         MPIRAGE_HERE_(mpirage_once_); MPIRAGE_HERE_(mpirage_once_) = 0)                                              \
        for (init; (test); mpirage_sample_end(&MPIRAGE_HERE_(mpirage_sample_)), (step))                               \
            if (!mpirage_sample_begin(&MPIRAGE_HERE_(mpirage_sample_))) {                                             \
            } else

#define SMPI_SAMPLE_DELAY(flops)                                                                                      \
    for (int MPIRAGE_HERE_(mpirage_once_) = mpirage_delay(flops); MPIRAGE_HERE_(mpirage_once_);                       \
         MPIRAGE_HERE_(mpirage_once_) = 0)
#define SMPI_SAMPLE_FLOPS(flops)                                                                                      \
    for (int MPIRAGE_HERE_(mpirage_work_) MPIRAGE_AT_END_(mpirage_work_end) = mpirage_work_begin(flops),              \
             MPIRAGE_HERE_(mpirage_once_) = 1;                                                                        \
         MPIRAGE_HERE_(mpirage_once_); MPIRAGE_HERE_(mpirage_once_) = 0)

/* Other names of AMPI_Migrate (mpi.h). The state of the rank is what it has allocated, or so many bytes as MPIRAGE_MIGRATE says. */
#define MPI_Migrate() mpirage_migrate(0)
#define MPIRAGE_MIGRATE(bytes) mpirage_migrate((unsigned long long)(bytes))

#define SMPI_SHARED_MALLOC(size) smpi_shared_malloc((size), __FILE__, __LINE__)
#define SMPI_PARTIAL_SHARED_MALLOC(size, offsets, count) smpi_shared_malloc_partial((size), (offsets), (count))
#define SMPI_SHARED_FREE(data) smpi_shared_free(data)
#define SMPI_SHARED_CALL(function, input, ...)                                                                        \
    (smpi_shared_known_call(MPIRAGE_TEXT_(function), (input))                                                         \
         ? smpi_shared_get_call(MPIRAGE_TEXT_(function), (input))                                                     \
         : smpi_shared_set_call(MPIRAGE_TEXT_(function), (input), ((function)(__VA_ARGS__))))

#else /* another MPI */

#define MPIRAGE_ONCE_(unused)                                                                                         \
    for (int MPIRAGE_HERE_(mpirage_once_) = ((void)(unused), 1); MPIRAGE_HERE_(mpirage_once_);                        \
         MPIRAGE_HERE_(mpirage_once_) = 0)

#define MPIRAGE_SAMPLE_BLOCK_(global, tag, least, most, error, interval) MPIRAGE_ONCE_(((void)(most), (error)))
#define MPIRAGE_SAMPLE_LOOP_(global, tag, init, test, step, iterations, threshold)                                    \
    MPIRAGE_ONCE_(((void)(tag), (void)(iterations), (threshold))) for (init; (test); (step))
#define SMPI_SAMPLE_DELAY(flops) MPIRAGE_ONCE_(flops)
#define SMPI_SAMPLE_FLOPS(flops) MPIRAGE_ONCE_(flops)

#ifndef AMPI
static inline int mpirage_stay_(unsigned long long bytes)
{
    (void)bytes;
    return 0;
}
#define AMPI_INFO_LB_SYNC MPI_INFO_NULL
#define AMPI_INFO_LB_ASYNC MPI_INFO_NULL
#define AMPI_Migrate(hints) ((void)(hints), mpirage_stay_(0))
#define MPI_Migrate() mpirage_stay_(0)
#define MPIRAGE_MIGRATE(bytes) mpirage_stay_((unsigned long long)(bytes))
#endif

#define mpirage_execute(flops, bytes) ((void)(flops), (void)(bytes))
#define smpi_execute(seconds) ((void)(seconds))
#define smpi_execute_benched(seconds) ((void)(seconds))
#define smpi_execute_flops(flops) ((void)(flops))
#define smpi_execute_flops_benched(flops) ((void)(flops))

#define SMPI_SHARED_MALLOC(size) malloc(size)
#define SMPI_PARTIAL_SHARED_MALLOC(size, offsets, count) ((void)(offsets), (void)(count), malloc(size))
#define SMPI_SHARED_FREE(data) free(data)
#define SMPI_SHARED_CALL(function, input, ...) ((function)(__VA_ARGS__))

#endif

#endif
