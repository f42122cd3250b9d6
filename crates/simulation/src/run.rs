//! A run of programs, from what is asked for to its figures and files: `mpirage run`, `emulate`, and each run of a check.

mod course;
mod figures;
mod measured;
mod plan;
mod request;
mod workers;

pub use measured::Measured;
pub use plan::{Purpose, Run};
pub use request::{CALLERS_IN_REPORTS, ProgramPart, RunRequest};
