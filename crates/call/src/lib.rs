//! What a rank asks of the simulator, and what it is told.
//!
//! A running process, a folded rank, a trace and a generated workload are four producers of the
//! same [`Call`]s; the simulator answers with [`Reply`]s. This crate is the contract between them:
//! plain values, and their encoding as words for a mailbox in shared memory ([`wire`]).
//!
//! Peers are ranks of the communicator, sizes are packed bytes, and datatypes have been dealt with
//! by the caller: the simulator moves contiguous bytes only. Addresses are addresses of the rank's
//! own memory and mean nothing here.
//!
//! ```text
//! rank:  [stamp Isend] [stamp Irecv] [stamp Wait] ──► simulator     calls that need no answer run ahead
//! rank:  ◄── [now, statuses, bytes to store]                        a blocking call switches
//! ```

mod burst;
mod calls;
mod checks;
mod collective;
mod fields;
mod functions;
mod reply;
mod sample;
#[cfg(test)]
mod sampled;
pub mod stored;
mod table;
pub mod varint;
pub mod wire;

pub use burst::Burst;
pub use calls::Call;
pub use checks::FieldChecks;
pub use collective::{Blocks, CollectiveCall, CommRequest, Operator, Part, Reduction};
pub use functions::{function_name, function_names};
pub use reply::{Completion, NO_INDEX, Reply, STARTED, Service};
pub use sample::{Rule, Tally, Work};

use mpirage_units::Duration;

/// A communicator as the simulator numbers them.
pub type ContextId = u32;
/// A request as the rank numbers its own, small numbers from 1 up, used again when free.
pub type RequestId = u32;
/// The request behind blocking calls, of which a rank has one at a time. Ranks do not use this number themselves.
pub const BLOCKING: RequestId = 0;

/// The context of `MPI_COMM_WORLD`.
pub const WORLD: ContextId = 0;
/// The context of every rank's `MPI_COMM_SELF`.
pub const SELF: ContextId = 1;

/// When and where a call was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Processor time that the rank used on this machine since its previous call.
    pub burst: Burst,
    /// Simulated time that passes before the call besides the burst.
    pub delay: Duration,
    /// The instruction the call returns to, for diagnosis.
    pub site: u64,
    /// Index of the MPI function in the table of functions, for diagnosis and traces.
    pub function: u16,
}

/// How a send is to complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendMode {
    /// `MPI_Send`: eager or rendezvous, as the protocol decides.
    Standard,
    /// `MPI_Ssend`: not before the receive has started.
    Synchronous,
    /// `MPI_Rsend`: the receive is said to be posted already.
    Ready,
    /// `MPI_Bsend`: returns at once, whatever the size.
    Buffered,
}

impl SendMode {
    /// Is a blocking send of so many bytes over at once, if standard sends of fewer than `limit` bytes are?
    pub fn is_eager(self, bytes: u64, limit: u64) -> bool {
        match self {
            SendMode::Standard | SendMode::Ready => bytes < limit,
            SendMode::Buffered => true,
            SendMode::Synchronous => false,
        }
    }
}

/// Where the bytes of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Nowhere: only sizes are simulated.
    Absent,
    /// In the call itself.
    Inline(&'a [u8]),
    /// In the rank's memory, stable until the operation completes.
    At(u64),
}

/// Which of a set of requests a wait or test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completing {
    /// Every one (`Wait`, `Waitall`).
    All,
    /// The first one that is complete (`Waitany`).
    Any,
    /// Those that are complete, at least one (`Waitsome`).
    Some,
}
