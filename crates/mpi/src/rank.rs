//! One rank as the engine sees it.

use mpirage_call::{Reply, Stamp, Work};
use mpirage_units::Time;

use crate::probe::Probing;
use crate::request::{Polling, Slot, WaitState};

/// What a rank is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    /// Its program runs: the engine waits for calls.
    Running,
    /// The burst before its next call passes.
    Computing,
    /// It computes what it was told to, as a call.
    Executing,
    /// It waits to learn whether to execute a sampled block.
    Sampling,
    /// Simulated time passes before its next call.
    Delayed,
    /// It pays for a call; then it goes on with the next, or gets its reply.
    Paying(Then),
    /// It waits for its processor.
    Claiming(Claim),
    /// It waits for requests.
    Waiting,
    /// It waits for whichever of its requests is complete first.
    Harvesting,
    /// It waits for a message to look at.
    Probing(Probing),
    /// It is in a blocking collective.
    InCollective(u32),
    /// What it waited for has come.
    Woken,
    /// Its reply is ready.
    Ready,
    /// It is a graph that has nothing left to do, but its processors have.
    Ending,
    /// Its process is no more.
    Gone,
}

/// What a rank wants its processor for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// For the burst before its next call.
    Burst,
    /// To compute what it was told to.
    Execute,
    /// To carry out its next call.
    Call,
}

/// What follows once a call is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next call.
    NextCall,
    /// The rank goes on.
    Reply,
    /// The call takes effect: this was its beginning.
    Perform,
    /// The call waits for its receive.
    Await,
    /// The poll looks.
    Look,
}

impl PartialEq for Phase {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The state of one rank.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct RankState {
    pub phase: Phase,
    /// Calls it has made that are not carried out yet.
    pub inbox: Vec<u64>,
    /// Where in the inbox the next call starts.
    pub cursor: usize,
    /// Where in the inbox the call it is in starts.
    pub current: usize,
    /// The call it is in, and since when.
    pub stamp: Stamp,
    pub entered: Time,
    /// What it computes right now.
    pub work: Work,
    /// Is that call an MPI function's, rather than the library's own?
    pub in_function: bool,
    pub reply: Reply,
    /// The driver knows that the reply is final.
    pub released: bool,
    /// Collectives under way that may still call a function of its program.
    pub on_call: u32,
    pub requests: Vec<Slot>,
    pub wait: WaitState,
    /// Requests that are complete, of a rank that harvests.
    pub harvest: Option<Vec<u32>>,
    pub polling: Polling,
    pub initialized: bool,
    pub finalized: bool,
    /// It has written something that is not shown yet.
    pub wrote: bool,
    /// Its process has ended; only calls it had left behind are still carried out.
    pub leaving: bool,
    /// When it finalized, or made its last call.
    pub end: Time,
    /// What the time is on its ideal clock ([`crate::ideal`]).
    pub ideal: Time,
}

impl RankState {
    pub(crate) fn new() -> RankState {
        RankState {
            phase: Phase::Running,
            inbox: Vec::new(),
            cursor: 0,
            current: 0,
            stamp: Stamp::default(),
            entered: Time::ZERO,
            work: Work::Nanos(0),
            in_function: false,
            reply: Reply::default(),
            released: false,
            on_call: 0,
            requests: vec![Slot::UNUSED],
            wait: WaitState::default(),
            harvest: None,
            polling: Polling::default(),
            initialized: false,
            finalized: false,
            wrote: false,
            leaving: false,
            end: Time::ZERO,
            ideal: Time::ZERO,
        }
    }
}
