/* What record.c offers to trace.c. */
#include <stddef.h>

/* One thing that a rank did. A wait has no peer. */
struct step {
    enum { SEND = 's', SYNCHRONOUS_SEND = 'y', RECEIVE = 'r', WAIT = 'w' } kind;
    int peer;
    size_t bytes;
};

/* The next message that this rank sends goes to this rank of MPI_COMM_WORLD, and the next one it receives comes from it. */
void introduce_receiver(int rank);
void introduce_sender(int rank);

/* The steps between the two calls, in order. They stay valid until recording begins again. */
void begin_recording(void);
size_t end_recording(const struct step **steps);
