//! The contract between ranks and the simulator: calls, replies, and their encodings.
//!
//! A running process, a folded rank, a trace and a generated workload are four producers of the
//! same [`Call`]s; the simulator answers with [`Reply`]s. The [table of calls](calls) defines all
//! calls. Their encodings follow from it: as words for a mailbox in shared memory ([`wire`]), and
//! as bytes of a trace ([`stored`]).
//!
//! Peers are ranks of the communicator. Sizes are packed bytes: the caller has packed what its
//! datatypes describe, and the simulator moves contiguous bytes only. Addresses are addresses of
//! the rank's own memory.
//!
//! ```text
//! rank:  [stamp Isend] [stamp Irecv] [stamp Wait] ──► simulator     the rank runs on after calls that need no answer
//! rank:  ◄── [now, statuses, bytes to store]                        and stops in a call that needs one
//! ```

mod access;
mod burst;
mod calls;
mod checks;
mod collective;
mod collectives;
mod fields;
mod figure;
mod files;
mod finding;
mod functions;
mod ids;
mod iteration;
mod one_sided;
mod quiet;
mod reply;
mod sample;
#[cfg(test)]
mod sampled;
mod signature;
mod spawn;
pub mod stored;
mod table;
mod tags;
pub mod varint;
pub mod wire;

pub use access::{AccessCall, AccessKind};
pub use burst::{Burst, ThreadWork};
pub use calls::{
    Call, CheckCall, CommCall, ComputeCall, Family, FileCall, PointToPointCall, RunCall, ToolCall, WindowCall,
};
pub use checks::FieldChecks;
pub use collective::{Blocks, CollectiveCall, CommRequest, Input, OnMismatch, Operator, Part, Reduction};
pub use collectives::{
    Algorithm, BESIDE_ROOT, Collective, Member, Method, MethodError, OTHER_SIDE, Parameters, Peers,
    SendStyle, Settings, Sides, WireProtocol,
};
pub use figure::Figure;
pub use files::{FileAccessCall, FileHints, TwoPhase};
pub use finding::{FindingClass, Severity};
pub use functions::{function_name, function_names, standard_function_names};
pub use ids::{
    BLOCKING, ContextId, FIRST_MADE, LineId, PATH_SITE, RankId, RequestId, SELF, UNIVERSE, WORLD, path_site,
};
pub use iteration::{ITERATION, iteration_mark};
pub use quiet::{FailedPollCost, Quiet};
pub use reply::{Completion, NO_INDEX, Reply, STARTED, Service, pack_text, unpack_text};
pub use sample::{Rule, Tally, Unfreed, Work};
pub use signature::Signature;
pub use spawn::SpawnedProgram;
pub use tags::{
    FIRST_MEETING_TAG, OUTLINE_TAGS, WINDOW_COMPLETE, WINDOW_POSTED, is_meeting_tag, outline_tag,
    tag_in_words,
};

use mpirage_units::Duration;

/// When and where a call was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The rank's computation since its previous call.
    pub burst: Burst,
    /// Simulated time that passes after the burst and before the call.
    pub delay: Duration,
    /// The address of the instruction that the call returns to, for messages; of a trace, a line or an offset.
    pub site: u64,
    /// Index of the MPI function ([`function_name`]), for messages and traces.
    pub function: u16,
}

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendMode {
    /// `MPI_Send`: the protocol decides between eager and rendezvous.
    Standard,
    /// `MPI_Ssend`: when the receive has started.
    Synchronous,
    /// `MPI_Rsend`: as a standard send. The program promises that the receive is posted.
    Ready,
    /// `MPI_Bsend`: at once, whatever the size.
    Buffered,
}

impl SendMode {
    /// The size below which a blocking send is over at once, if it is `standard` for standard sends.
    pub fn eager_limit(self, standard: u64) -> u64 {
        match self {
            SendMode::Standard | SendMode::Ready => standard,
            SendMode::Buffered => u64::MAX,
            SendMode::Synchronous => 0,
        }
    }
}

/// Where the bytes of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// There are none: only sizes are simulated.
    Absent,
    /// In the call itself.
    Inline(&'a [u8]),
    /// In the rank's memory, stable until the operation completes.
    At(u64),
}

/// The requests of a wait or test that have to be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completing {
    /// All (`Wait`, `Waitall`).
    All,
    /// One (`Waitany`).
    Any,
    /// At least one; all that are complete are given (`Waitsome`).
    Some,
}
