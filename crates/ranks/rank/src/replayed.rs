//! Ranks that are replayed beside programs.

use mpirage_call::Reply;

/// Ranks whose calls come from traces. They follow the ranks of programs.
pub trait ReplayedRanks {
    /// The number of ranks of each of their jobs, in order.
    fn jobs(&self) -> Vec<u32>;

    /// A rank of the run got this reply. Writes its next calls; true if it has ended.
    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Vec<u64>) -> Result<bool, String>;
}
