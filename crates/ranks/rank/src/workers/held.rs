//! Which worker holds which ranks.

use std::ops::Range;

/// Successive ranks that one worker holds, at most. The simulator takes the calls of ranks in order, so workers should come by turns;
/// programs give even and odd ranks, or rows and columns, different roles, so neighbours stay together.
const MOST_TOGETHER: usize = 16;
/// Turns that each worker has at least, if there are enough ranks.
const TURNS: usize = 8;

/// Blocks of ranks, which go to workers in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    ranks: usize,
    workers: usize,
    block: usize,
}

impl Held {
    /// So many ranks in so many workers, none of which is without a rank.
    pub(crate) fn new(ranks: usize, workers: usize) -> Held {
        let workers = workers.clamp(1, ranks.max(1));
        Held { ranks, workers, block: (ranks / (workers * TURNS)).clamp(1, MOST_TOGETHER) }
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// The worker that holds a rank.
    pub(crate) fn worker_of(&self, rank: usize) -> usize {
        rank / self.block % self.workers
    }

    /// The ranks that a worker holds.
    pub(crate) fn by(&self, worker: usize) -> Vec<Range<u32>> {
        let starts = (worker * self.block..self.ranks).step_by(self.block * self.workers);
        starts.map(|start| start as u32..(start + self.block).min(self.ranks) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_one_worker_and_each_worker_ranks() {
        for (ranks, workers) in [(1, 4), (5, 2), (17, 3), (64, 4), (1000, 2), (1024, 7)] {
            let held = Held::new(ranks, workers);
            assert!(held.workers() <= workers);
            let mut all: Vec<u32> = Vec::new();
            for worker in 0..held.workers() {
                let own: Vec<u32> = held.by(worker).into_iter().flatten().collect();
                assert!(!own.is_empty() && own.iter().all(|&rank| held.worker_of(rank as usize) == worker));
                all.extend(own);
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..ranks as u32));
        }
    }

    #[test]
    fn neighbours_stay_together() {
        assert_eq!(Held::new(64, 2).by(1), [4..8, 12..16, 20..24, 28..32, 36..40, 44..48, 52..56, 60..64]);
        assert_eq!(Held::new(1024, 2).by(0)[1], 32..48);
    }
}
