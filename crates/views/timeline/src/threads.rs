//! Threads of ranks that call MPI.

use rustc_hash::FxHashMap;

/// The threads of ranks that have several.
#[derive(Default)]
pub(crate) struct Threads(FxHashMap<u32, RankThreads>);

#[derive(Default)]
struct RankThreads {
    /// The thread that records are of; the first is 0.
    current: u32,
    /// The highest so far.
    highest: u32,
}

impl Threads {
    /// Records of a rank that follow are of this thread.
    pub(crate) fn turn_to(&mut self, rank: u32, thread: u32) {
        // A rank with one thread has no entry.
        if thread > 0 || self.0.contains_key(&rank) {
            let threads = self.0.entry(rank).or_default();
            threads.current = thread;
            threads.highest = threads.highest.max(thread);
        }
    }

    /// The thread that records of a rank are of.
    pub(crate) fn current(&self, rank: u32) -> u32 {
        self.0.get(&rank).map_or(0, |threads| threads.current)
    }

    /// Has any rank several?
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// How many threads a rank has beside the first.
    pub(crate) fn further(&self, rank: u32) -> u32 {
        self.0.get(&rank).map_or(0, |threads| threads.highest)
    }
}
