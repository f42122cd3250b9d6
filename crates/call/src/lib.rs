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
mod collective;
mod functions;
mod ids;
mod reply;
mod sample;
pub mod varint;
pub mod wire;

pub use burst::Burst;
pub use collective::{Blocks, CollectiveCall, CommRequest, Operator, Part, Reduction};
pub use functions::{function_name, function_names};
pub use ids::{LineId, RankId};
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

/// What a rank asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call<'a> {
    /// `MPI_Init`, `MPI_Init_thread`.
    Init,
    /// `MPI_Finalize`.
    Finalize,
    /// `MPI_Abort`.
    Abort {
        /// What the program wants its exit code to be.
        code: i32,
    },
    /// The library found a mistake that the program did not ask to be told about: the run ends.
    Misuse {
        /// One sentence that says what is wrong.
        text: &'a str,
    },
    /// What time is it? (`MPI_Wtime`, `clock_gettime`.)
    Now,
    /// When did my last call return? Its reply came before that was known. Whoever gave the reply answers this too, once
    /// it is; the engine does not see it.
    When,
    /// Let simulated time pass (`sleep`, `nanosleep`).
    Sleep {
        /// How long.
        span: Duration,
    },
    /// Any send. Needs an answer if it has no request and `answer` is set.
    Send {
        /// How it completes.
        mode: SendMode,
        /// In which communicator.
        context: ContextId,
        /// To whom.
        to: u32,
        /// With which tag.
        tag: i32,
        /// How many packed bytes.
        bytes: u64,
        /// Where they are.
        payload: Payload<'a>,
        /// The request that completes with it; none for a blocking send.
        request: Option<RequestId>,
        /// Does a blocking send wait for its answer? Not if it is eager and its bytes are inline.
        answer: bool,
    },
    /// Any receive. Blocking, and answered, if it has no request.
    Recv {
        /// In which communicator.
        context: ContextId,
        /// From whom; none for `MPI_ANY_SOURCE`.
        from: Option<u32>,
        /// With which tag; none for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// How many packed bytes there is room for.
        bytes: u64,
        /// Where to; zero if no bytes are to be stored.
        address: u64,
        /// The request that completes with it; none for a blocking receive.
        request: Option<RequestId>,
        /// A message taken by a matched probe, instead of matching anew.
        matched: Option<u32>,
    },
    /// `MPI_Wait*` and `MPI_Test*`.
    Wait {
        /// Which requests.
        how: Completing,
        /// Test instead of wait: answered at once.
        poll: bool,
        /// The requests, in the order of the program's array, inactive ones left out.
        requests: &'a [RequestId],
    },
    /// `MPI_Probe`, `MPI_Iprobe`, `MPI_Mprobe`, `MPI_Improbe`.
    Probe {
        /// In which communicator.
        context: ContextId,
        /// From whom.
        from: Option<u32>,
        /// With which tag.
        tag: Option<i32>,
        /// Answered at once.
        poll: bool,
        /// Take the message out of the queue (matched probe).
        take: bool,
    },
    /// `MPI_Cancel`: takes back a receive that has not matched. No answer.
    Cancel {
        /// Which.
        request: RequestId,
    },
    /// `MPI_Request_free`: nobody will wait for it. No answer.
    Free {
        /// Which.
        request: RequestId,
    },
    /// A collective, blocking (answered) if it has no request.
    Collective(CollectiveCall<'a>),
    /// Make a new communicator (answered).
    MakeComm {
        /// From which one.
        parent: ContextId,
        /// How.
        how: CommRequest<'a>,
    },
    /// `MPI_Comm_free`. No answer.
    FreeComm {
        /// Which.
        context: ContextId,
    },
    /// The program wrote to its standard output up to here. No answer.
    Output,
    /// The outbox is full: take what is there (answered).
    Flush,
    /// A sampled block begins: execute it, or skip it from now on for a number of picoseconds (answered).
    SampleBegin {
        /// Which block, in words that are the same in all ranks.
        site: &'a str,
        /// Do the executions of all ranks count together?
        global: bool,
        /// When enough has been measured.
        rule: Rule,
    },
    /// The sampled block that was to be executed has been. No answer.
    SampleEnd,
    /// The program says how much it would compute here. No answer.
    Compute {
        /// How much.
        work: Work,
        /// The request that completes with it, if it is computed beside the rank: on an accelerator or another core.
        request: Option<RequestId>,
    },
    /// Which of my requests are complete? Answered as soon as one is: gives all that are, by number, and frees them.
    TakeCompleted,
    /// About the next send, receive or computation of a rank that is a graph: where it runs, and from when on. No answer.
    ExecutionUnit {
        /// Which of the rank's processors.
        cpu: u8,
        /// Which network interface.
        nic: u8,
        /// So much later than the date of the last reply.
        after: Duration,
        /// The next harvest is to say when it has started ([`STARTED`]).
        tell: bool,
    },
    /// Which number does the memory of this name have? (Answered.)
    Share {
        /// A name that is the same in all ranks.
        site: &'a str,
    },
    /// What the rank has counted. No answer.
    Tally(Tally),
}

impl Call<'_> {
    /// Must the rank stop until it is answered? The other calls may run ahead.
    pub fn needs_answer(&self) -> bool {
        match *self {
            Call::Init
            | Call::Finalize
            | Call::Abort { .. }
            | Call::Misuse { .. }
            | Call::Now
            | Call::When
            | Call::Sleep { .. }
            | Call::Wait { .. }
            | Call::Probe { .. }
            | Call::MakeComm { .. }
            | Call::Flush
            | Call::SampleBegin { .. }
            | Call::TakeCompleted
            | Call::Share { .. } => true,
            Call::Send { request, answer, .. } => request.is_none() && answer,
            Call::Recv { request, .. } => request.is_none(),
            Call::Collective(ref c) => c.request.is_none(),
            Call::Cancel { .. }
            | Call::Free { .. }
            | Call::FreeComm { .. }
            | Call::Output
            | Call::SampleEnd
            | Call::Compute { .. }
            | Call::ExecutionUnit { .. }
            | Call::Tally(_) => false,
        }
    }
}
