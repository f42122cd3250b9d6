//! mpi: not written yet.
