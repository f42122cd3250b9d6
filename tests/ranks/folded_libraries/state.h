// What state.c has.
#include <mpi.h>

extern int state_level;
extern __thread int state_local;
void state_open(MPI_Comm over, const char *title);
void state_push(double value);
double state_total(void);
void state_close(void);
