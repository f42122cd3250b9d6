//! Cuts a workload after some thousand calls. More calls find nothing new, and some inputs have millions.

use std::path::PathBuf;

use mpirage_call::{ContextId, Reply};
use mpirage_trace::{Calls, Computation, Step, ThreadSync, TraceError, TracePlace, Workload};

/// Words of encoded calls, of all ranks together.
const MOST_WORDS: usize = 1 << 17;

/// The beginning of a workload.
pub struct Bounded<'w> {
    whole: &'w mut dyn Workload,
    left: usize,
}

impl<'w> Bounded<'w> {
    /// The beginning of `whole`.
    pub fn new(whole: &'w mut dyn Workload) -> Bounded<'w> {
        Bounded { whole, left: MOST_WORDS }
    }
}

impl Workload for Bounded<'_> {
    fn ranks(&self) -> u32 {
        self.whole.ranks()
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        self.whole.communicators()
    }

    fn computation(&self) -> Computation {
        self.whole.computation()
    }

    fn sources(&self) -> Vec<(u64, String)> {
        self.whole.sources()
    }

    fn eager_limit(&mut self, bytes: u64) {
        self.whole.eager_limit(bytes);
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        if self.left == 0 {
            return Ok(Step::Ended);
        }
        let before = calls.words().len();
        let step = self.whole.next(rank, reply, calls)?;
        self.left = self.left.saturating_sub(calls.words().len() - before);
        Ok(step)
    }

    fn threads(&self) -> &[u32] {
        self.whole.threads()
    }

    fn take_woken(&mut self, woken: &mut Vec<u32>) {
        self.whole.take_woken(woken);
    }

    fn take_syncs(&mut self, syncs: &mut Vec<ThreadSync>) {
        self.whole.take_syncs(syncs);
    }

    fn traced_communicators(&self) -> Vec<(ContextId, Vec<u32>)> {
        self.whole.traced_communicators()
    }

    fn traced_context(&self, rank: u32) -> Option<Option<ContextId>> {
        self.whole.traced_context(rank)
    }

    fn place(&self, rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        self.whole.place(rank, site)
    }
}
