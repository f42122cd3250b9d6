//! How ranks live: as processes of this machine.
//!
//! [`Session`] starts one process per rank, lets them run, one on each core, hands their calls to the MPI
//! engine and carries the bytes it moves. It knows processes and memory; it knows neither models nor
//! what a call means.

mod ahead;
mod cores;
mod crash;
mod dispatch;
mod output;
mod processes;
mod program;
mod running;
mod session;
mod signals;
mod symbols;

pub use ahead::RunAhead;
pub use crash::Death;
pub use output::Output;
pub use processes::{DataPlane, Processes};
pub use program::Program;
pub use session::{Outcome, Session, SessionError, Watch};
pub use symbols::{Site, Symbols};
