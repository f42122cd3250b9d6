//! What every workload is.

use std::path::PathBuf;

use mpirage_call::wire::push_call;
use mpirage_call::{Call, ContextId, Reply, Stamp};

use crate::error::{Place, TraceError};

/// Ranks that are not programs: something says what they call.
///
/// A rank is asked for calls until one needs an answer ([`Call::needs_answer`]), gets the answer, and is asked again. Its
/// last calls are `Finalize` and then the end; a rank that never calls `Init` need not.
pub trait Workload {
    /// How many ranks there are.
    fn ranks(&self) -> u32;

    /// Communicators that exist from the start, as ranks of the world. They are numbered from 2 on.
    fn communicators(&self) -> Vec<Vec<u32>> {
        Vec::new()
    }

    /// How the run that was traced charged computation, as far as the trace says.
    fn computation(&self) -> Computation {
        Computation::default()
    }

    /// Source lines of calls, by the site in their stamps; of the program that was traced, if that is known.
    fn sources(&self) -> Vec<(u64, String)> {
        Vec::new()
    }

    /// Standard sends of fewer bytes will be eager: a blocking one is over at once and need not wait for its answer. Told
    /// once, before the first call.
    fn eager_limit(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Are its ranks graphs, which open a request for all they do and harvest what is complete?
    fn is_graph(&self) -> bool {
        false
    }

    /// Whoever takes the calls has processors for whose time the operations of a graph compete: what is free is to be handed
    /// over at once, in the order of LogGOPSim. Told once, before the first call.
    fn leave_order_to_processors(&mut self) {}

    /// Writes the next calls of `rank`, up to and including one that needs an answer, or all that are left. `reply` answers
    /// the last call that needed it; the first time there is none such and it is empty. Each rank is asked on its own.
    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError>;

    /// Communicators of the run that was traced, by the numbers they had there, if the trace knows them.
    fn traced_communicators(&self) -> Vec<(ContextId, Vec<u32>)> {
        Vec::new()
    }

    /// The communicator that the last call of `rank` made in the run that was traced; the inner is none if the rank is not in
    /// it, the outer if the trace does not know.
    fn traced_context(&self, rank: u32) -> Option<Option<ContextId>> {
        let _ = rank;
        None
    }

    /// Where a call of `rank` is in the trace, for messages. `site` is what its stamp had: traces have no instructions, so a
    /// line or an offset is there instead; zero if nothing is known.
    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, Place)> {
        let _ = (rank, site);
        None
    }
}

/// How a run charged computation, for whoever replays it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Computation {
    /// Speed in flops of the machine on which nanoseconds of computation were measured; none if that is not known, or if
    /// nothing was measured.
    pub measured_on: Option<f64>,
    /// Bursts took no time, and neither did combining and copying inside MPI: `--compute none`. What a program declares in
    /// floating-point operations took its time.
    pub free: bool,
}

/// What follows the calls that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The last of them waits for its answer.
    Waits,
    /// The rank has ended.
    Ended,
}

/// Where calls are written to.
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

    /// The words themselves, for whoever has calls in that form already.
    pub fn words(&mut self) -> &mut Vec<u64> {
        self.words
    }
}
