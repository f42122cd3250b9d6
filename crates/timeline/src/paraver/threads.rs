//! Threads of ranks that call MPI.

use rustc_hash::FxHashMap;

/// The threads of ranks that have several.
#[derive(Default)]
pub(super) struct Threads(FxHashMap<u32, RankThreads>);

#[derive(Default)]
struct RankThreads {
    /// The thread that records are of; the first is 0.
    current: u32,
    /// The highest so far.
    highest: u32,
}

impl Threads {
    /// Records of a rank that follow are of this thread.
    pub(super) fn turn_to(&mut self, rank: u32, thread: u32) {
        let threads = self.0.entry(rank).or_default();
        threads.current = thread;
        threads.highest = threads.highest.max(thread);
    }

    /// The thread that records of a rank are of.
    pub(super) fn current(&self, rank: u32) -> u32 {
        self.0.get(&rank).map_or(0, |threads| threads.current)
    }

    /// How many threads a rank has beside the first.
    pub(super) fn further(&self, rank: u32) -> u32 {
        self.0.get(&rank).map_or(0, |threads| threads.highest)
    }
}
