//! The names of the MPI functions, and callers that have to be kept ([`Caller`]).

pub(crate) use mpirage_bodies::Caller;

/// The name of the function that this thread has called last, `MPI_Send` also when the program called `PMPI_Send`.
pub(crate) fn last_name() -> &'static str {
    name_of(Caller::last().function)
}

/// Does work during which other ranks of this process may run and make calls.
pub(crate) fn keeping_caller<T>(work: impl FnOnce() -> T) -> T {
    let caller = Caller::last();
    let result = work();
    caller.store();
    result
}

/// The name of the MPI function with this index.
pub(crate) fn name_of(function: u32) -> &'static str {
    NAMES.get(function as usize).copied().unwrap_or("MPI_Migrate")
}

include!(concat!(env!("OUT_DIR"), "/names.rs"));
