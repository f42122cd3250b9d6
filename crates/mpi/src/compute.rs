//! How long the program's own computation takes.
//!
//! A call comes with the processor time its rank used since the call before. What that means on the
//! simulated machine is decided here: it counts, scaled; it does not; or a recorded cost replaces it, so
//! that a run can be repeated exactly.

use mpirage_call::Stamp;

/// Recorded costs: nanoseconds of each burst, by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// `by_rank[r][k]`: the burst before the k-th call of rank r.
    pub by_rank: Vec<Vec<u64>>,
}

/// Where computation times come from.
#[derive(Debug)]
pub enum Bursts {
    /// Computation takes no time.
    None,
    /// As measured on this machine.
    Measured,
    /// As measured, and written down.
    Recording(Costs),
    /// As written down by an earlier run; the position reached in each rank.
    Recorded(Costs, Vec<usize>),
}

impl Bursts {
    /// Nanoseconds of this machine's time that the burst before a call counts for. `Err` if the recording has no such burst.
    pub(crate) fn nanos(&mut self, rank: u32, stamp: &Stamp) -> Result<u64, usize> {
        let rank = rank as usize;
        match self {
            Bursts::None => Ok(0),
            Bursts::Measured => Ok(stamp.burst),
            Bursts::Recording(costs) => {
                costs.by_rank[rank].push(stamp.burst);
                Ok(stamp.burst)
            }
            Bursts::Recorded(costs, positions) => {
                let position = positions[rank];
                positions[rank] += 1;
                costs.by_rank[rank].get(position).copied().ok_or(position)
            }
        }
    }

    /// Must ranks measure their bursts?
    pub fn measures(&self) -> bool {
        matches!(self, Bursts::Measured | Bursts::Recording(_))
    }
}
