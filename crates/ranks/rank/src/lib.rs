//! Drives the ranks of a run: processes of this machine, or coroutines folded into the simulator's own process.
//!
//! [`Session`] starts the ranks, lets them run, passes their calls to the MPI engine and moves bytes between their memories. It
//! knows processes and memory. It knows neither models nor the meaning of a call. A rank is an address; a line of control is a
//! thread of a rank that makes calls and waits. Mailboxes belong to lines, processes and memories to ranks.

mod ahead;
mod border;
mod cores;
mod crash;
mod dispatch;
mod emulation;
mod executable;
mod foldability;
#[cfg(target_arch = "x86_64")]
mod folded;
mod fortran_lines;
mod interface;
mod jobs;
mod output;
mod pace;
mod processes;
mod program;
mod ranks;
mod remote_memory;
mod replayed;
mod running;
mod service;
mod session;
mod shared;
mod signals;
mod spawned;
mod spinning;
mod stop;
mod symbols;
mod threads;
#[cfg(not(target_arch = "x86_64"))]
mod unfoldable;
#[cfg(target_arch = "x86_64")]
mod watchdog;
mod worker_count;
#[cfg(target_arch = "x86_64")]
mod workers;
mod working;
mod yielding;

pub use ahead::RunAhead;
pub use crash::{Death, LostWorker};
pub use executable::{Unfit, interface_of_library};
pub use foldability::Foldability;
#[cfg(target_arch = "x86_64")]
pub use foldability::{foldability, shares_memory};
#[cfg(target_arch = "x86_64")]
pub use folded::{FoldError, Folded};
pub use interface::{Interface, is_other_mpi};
pub use output::Output;
pub use pace::{FactorChange, MOST_FACTOR, Pacer, TimeFactor};
pub use processes::{DataPlane, Processes};
pub use program::Program;
pub use ranks::Ranks;
pub use replayed::ReplayedRanks;
pub use session::{Outcome, Session, SessionError, SoFar, Watch};
pub use shared::SharedFile;
pub use symbols::{Instances, Site, Symbols};
#[cfg(not(target_arch = "x86_64"))]
pub use unfoldable::{FoldError, Folded, Workers, foldability};
pub use worker_count::WorkerCount;
#[cfg(target_arch = "x86_64")]
pub use workers::Workers;
