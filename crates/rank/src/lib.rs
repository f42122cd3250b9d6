//! How ranks live: as processes of this machine, or folded into the simulator's own.
//!
//! [`Session`] starts the ranks, lets them run, hands their calls to the MPI engine and carries the bytes
//! it moves. It knows processes and memory; it knows neither models nor what a call means.

mod ahead;
mod cores;
mod crash;
mod dispatch;
mod executable;
mod foldability;
#[cfg(target_arch = "x86_64")]
mod folded;
mod output;
mod processes;
mod program;
mod ranks;
mod running;
mod service;
mod session;
mod shared;
mod signals;
mod symbols;
#[cfg(not(target_arch = "x86_64"))]
mod unfoldable;
#[cfg(target_arch = "x86_64")]
mod watchdog;

pub use ahead::RunAhead;
pub use crash::Death;
pub use executable::{Unfit, is_other_mpi};
pub use foldability::Foldability;
#[cfg(target_arch = "x86_64")]
pub use foldability::foldability;
#[cfg(target_arch = "x86_64")]
pub use folded::{FoldError, Folded};
pub use output::Output;
pub use processes::{DataPlane, Processes};
pub use program::Program;
pub use ranks::Ranks;
pub use session::{Outcome, Session, SessionError, Watch};
pub use shared::SharedFile;
pub use symbols::{Instances, Site, Symbols};
#[cfg(not(target_arch = "x86_64"))]
pub use unfoldable::{FoldError, Folded, foldability};
