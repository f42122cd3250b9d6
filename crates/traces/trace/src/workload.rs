//! The interface that all workloads implement.

use std::path::PathBuf;

use mpirage_call::wire::push_call;
use mpirage_call::{Call, ContextId, Reply, Stamp};

use crate::error::{TraceError, TracePlace};

/// Ranks that are not programs: a trace or a pattern gives their calls.
///
/// A rank gives its calls up to one that needs an answer ([`Call::needs_answer`]), gets the answer, and gives more calls. Its
/// last call is `Finalize`, unless it never calls `Init`.
///
/// If several threads of a rank call MPI, each thread but the first has a number behind those of the ranks, and is asked like a rank.
pub trait Workload {
    /// Number of ranks.
    fn ranks(&self) -> u32;

    /// Members of the communicators that exist from the start, as ranks of the world. They are numbered from 2 on.
    fn communicators(&self) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// The number of the first of these communicators in the run; [`mpirage_call::FIRST_MADE`] if this is not called.
    fn number_communicators_from(&mut self, _first: ContextId) {}

    /// How the traced run charged computation, if the trace says so.
    fn computation(&self) -> Computation {
        Computation::default()
    }

    /// Source lines of the traced program, by the site in the stamps of calls, if the trace has them.
    fn sources(&self) -> Vec<(u64, String)> {
        Vec::new()
    }

    /// Sets the size below which standard sends are eager: a blocking one need not wait for its answer. Called once, before
    /// the first call of `next`.
    fn eager_limit(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Are the ranks graphs, which open a request for each operation and take the completed ones (`Call::TakeCompleted`)?
    fn is_graph(&self) -> bool {
        false
    }

    /// Do the operations of a graph name processors for which they compete, as LogGOPSim's do?
    fn names_processors(&self) -> bool {
        false
    }

    /// Says that the engine simulates processors, for whose time the operations of a graph compete. Then the workload gives
    /// operations as soon as their dependencies are met, in the order of LogGOPSim. Called once, before the first call of
    /// `next`.
    fn leave_order_to_processors(&mut self) {}

    /// Writes the next calls of `rank`, up to and including one that needs an answer, or all that are left. `reply` answers
    /// the last call that needed it; the first time there is none such and it is empty. Each rank is asked on its own.
    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError>;

    /// How much of its calls, or of the bytes that describe them, the first rank has made, as a fraction, if that is known.
    fn share_done(&self) -> Option<f64> {
        None
    }

    /// The ranks of further threads. The first of these threads has the number after that of the last rank.
    fn threads(&self) -> &[u32] {
        &[]
    }

    /// Moves the numbers of threads that can be asked, since the last call of `next` has woken them, to `woken`. A further thread is asked
    /// for the first time when it is woken.
    fn take_woken(&mut self, woken: &mut Vec<u32>) {
        let _ = woken;
    }

    /// Moves what a thread has done with others of its rank in the last call of `next`, before the calls that this wrote, to `syncs`.
    fn take_syncs(&mut self, syncs: &mut Vec<ThreadSync>) {
        let _ = syncs;
    }

    /// Numbers and members of the communicators of the traced run, if the trace has them.
    fn traced_communicators(&self) -> Vec<(ContextId, Vec<u32>)> {
        Vec::new()
    }

    /// The communicator that the last call of `rank`, or of a further thread, made in the traced run. The inner option is none if the rank is not a
    /// member, the outer if the trace does not say.
    fn traced_context(&self, rank: u32) -> Option<Option<ContextId>> {
        let _ = rank;
        None
    }

    /// Where a call of `rank` is in the trace, for messages. `site` is what its stamp had: traces have no instructions, so a
    /// line or an offset is there instead; zero if nothing is known.
    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let _ = (rank, site);
        None
    }
}

/// How a run charged computation. A replay charges it in the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Computation {
    /// Speed in flops of the machine on which nanoseconds of computation were measured; none if that is not known, or if
    /// nothing was measured.
    pub measured_on: Option<f64>,
    /// Bursts took no time, and neither did combining and copying inside MPI: `--compute none`. What a program declares in
    /// floating-point operations took its time.
    pub free: bool,
}

/// A synchronisation of a thread with another thread of its rank outside MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadSync {
    /// It wakes this one.
    Wakes(u32),
    /// It goes on when this one wakes it.
    Awaits(u32),
}

impl ThreadSync {
    /// The other thread.
    pub fn other(self) -> u32 {
        match self {
            ThreadSync::Wakes(other) | ThreadSync::Awaits(other) => other,
        }
    }
}

/// The state of a rank after the calls that it has given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The last call waits for its answer.
    Waits,
    /// There are no calls until another thread of the rank wakes this one. Only threads of workloads that have some sleep.
    Sleeps,
    /// The rank has ended.
    Ended,
}

/// The list to which a workload appends calls, encoded as words.
pub struct Calls<'a> {
    words: &'a mut Vec<u64>,
}

impl<'a> Calls<'a> {
    /// Appends to these words.
    pub fn new(words: &'a mut Vec<u64>) -> Calls<'a> {
        Calls { words }
    }

    /// Appends a call.
    #[inline(always)]
    pub fn push(&mut self, stamp: &Stamp, call: &Call<'_>) {
        push_call(stamp, call, self.words);
    }

    /// The words, for a workload that has its calls in this form already.
    pub fn words(&mut self) -> &mut Vec<u64> {
        self.words
    }
}
