//! How ranks live: as processes of this machine.
//!
//! [`Session`] starts one process per rank, lets them run one at a time, hands their calls to the MPI
//! engine and carries the bytes it moves. It knows processes and memory; it knows neither models nor
//! what a call means.

mod crash;
mod output;
mod processes;
mod program;
mod session;
mod shared;
mod symbols;

pub use crash::Death;
pub use output::Output;
pub use processes::{DataPlane, Processes};
pub use program::Program;
pub use session::{Outcome, Session, SessionError, Watch};
pub use shared::SharedFile;
pub use symbols::{Site, Symbols};
