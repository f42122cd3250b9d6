/* smpi/sampi.h of mpirage: migration points and iterations, with the names and arguments of SimGrid.
 *
 * With the mpi.h of mpirage they do what they say; with any other MPI they do nothing. docs/howto/load-balancing.md says more.
 */
#ifndef MPIRAGE_SAMPI_H
#define MPIRAGE_SAMPI_H

#include <smpi/smpi.h>

/* AMPI's function takes hints; SimGrid's takes a communicator and returns nothing. */
#undef AMPI_Migrate

#ifdef MPIRAGE

#ifdef __cplusplus
extern "C" {
#endif

int AMPI_Iteration_in(MPI_Comm comm);
int AMPI_Iteration_out(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#define AMPI_Migrate(comm) ((void)(comm), (void)mpirage_migrate(0))

#else /* another MPI */

#define AMPI_Migrate(comm) ((void)(comm))
#define AMPI_Iteration_in(comm) ((void)(comm), 0)
#define AMPI_Iteration_out(comm) ((void)(comm), 0)

#endif

#define APMPI_Migrate(comm) AMPI_Migrate(comm)
#define APMPI_Iteration_in(comm) AMPI_Iteration_in(comm)
#define APMPI_Iteration_out(comm) AMPI_Iteration_out(comm)

#endif
