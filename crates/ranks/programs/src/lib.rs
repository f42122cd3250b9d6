//! MPI programs: the compiler wrappers that make them, their files, the library that each is to load, and whether its ranks can be folded.
//!
//! Everything that goes wrong here is a mistake in the command line or something that this machine lacks.

pub mod compile;
mod fronts;
pub mod install;
mod mpi4py;
mod program_file;
pub mod rank_mode;
mod request;
pub mod share_malloc;

pub use request::ProgramRequest;
