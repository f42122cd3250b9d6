//! How long the program's own computation takes.
//!
//! A call comes with the processor time its rank used since the call before. This module decides what that means on the
//! simulated machine: it counts, scaled; it does not; or a recorded cost replaces it, so that a run can be repeated exactly.
//! Computation that a program declares counts as declared.

use mpirage_call::{Burst, RankId, RequestId, Stamp, Work};
use mpirage_units::Time;

use super::real_time::RealTime;
use crate::ids::{Table, WorkId};
use crate::migration::CorePlace;

/// Recorded costs: each burst, by rank. Ranks without a list, which come last, are not recorded: their bursts count as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// `by_rank[r][k]`: the burst before the k-th call of rank r.
    pub by_rank: Vec<Vec<Burst>>,
}

/// Where computation times come from.
#[derive(Debug)]
pub enum Bursts {
    /// Computation takes no time.
    None,
    /// As measured on this machine.
    Measured,
    /// As measured, and recorded.
    Recording(Costs),
    /// As recorded by an earlier run; the position reached in each rank.
    Recorded(Costs, Vec<usize>),
}

impl Bursts {
    /// How many of its recorded bursts the first rank has had, as a fraction; none if nothing was recorded before.
    pub fn share_done(&self) -> Option<f64> {
        let Bursts::Recorded(costs, next) = self else { return None };
        Some(*next.first()? as f64 / costs.by_rank.first()?.len().max(1) as f64)
    }

    /// The burst to count before a call. `Err` if the recording has no such burst.
    pub(super) fn of(&mut self, rank: RankId, stamp: &Stamp) -> Result<Burst, usize> {
        match self {
            Bursts::None => Ok(Burst::NONE),
            Bursts::Measured => Ok(stamp.burst),
            Bursts::Recording(costs) => {
                if let Some(bursts) = costs.by_rank.get_mut(rank.index()) {
                    bursts.push(stamp.burst);
                }
                Ok(stamp.burst)
            }
            Bursts::Recorded(costs, positions) => {
                let Some(bursts) = costs.by_rank.get(rank.index()) else { return Ok(stamp.burst) };
                let position = positions[rank.index()];
                positions[rank.index()] += 1;
                bursts.get(position).copied().ok_or(position)
            }
        }
    }

    /// Must ranks measure their bursts?
    pub fn measures(&self) -> bool {
        matches!(self, Bursts::Measured | Bursts::Recording(_))
    }
}

/// How fast the host of each rank computes.
#[derive(Debug)]
pub(crate) struct Speeds {
    seconds_per_nano: Vec<f64>,
    flops: Vec<f64>,
    cores: Vec<u32>,
    core: Vec<u32>,
}

impl Speeds {
    pub(super) fn new(
        seconds_per_nano: Vec<f64>,
        flops: Vec<f64>,
        cores: Vec<u32>,
        core: Vec<u32>,
    ) -> Speeds {
        Speeds { seconds_per_nano, flops, cores, core }
    }

    /// The rank is on this core from now on.
    pub(super) fn set(&mut self, rank: RankId, place: &CorePlace) {
        self.seconds_per_nano[rank.index()] = place.seconds_per_nano;
        self.flops[rank.index()] = place.flops;
        self.cores[rank.index()] = place.host_cores;
        self.core[rank.index()] = place.core;
    }

    /// How long one core of a rank's host computes.
    pub(super) fn seconds(&self, rank: RankId, work: Work) -> f64 {
        match work {
            Work::Flops(flops) | Work::Roofline { flops, .. } => flops / self.flops[rank.index()],
            Work::Nanos(nanos) => nanos as f64 * self.seconds_per_nano[rank.index()],
            Work::Threads(burst) => burst.nanos() as f64 * self.seconds_per_nano[rank.index()],
        }
    }

    /// Bytes that the computation of a rank reads and writes in memory. None if computation takes no time at all.
    pub(super) fn traffic(&self, rank: RankId, work: Work) -> Option<f64> {
        match work {
            Work::Roofline { bytes, .. } if self.flops[rank.index()].is_finite() => {
                Some(bytes).filter(|bytes| *bytes > 0.0)
            }
            _ => None,
        }
    }

    /// The core of a rank, numbered on its host.
    pub(super) fn core(&self, rank: RankId) -> u32 {
        self.core[rank.index()]
    }

    /// Cores of a rank's host.
    pub(super) fn cores(&self, rank: RankId) -> f64 {
        f64::from(self.cores[rank.index()])
    }
}

/// A computation beside a rank that goes on meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackgroundWork {
    pub rank: RankId,
    pub request: RequestId,
    pub start: Time,
    pub work: Work,
    /// When its processor started it, in the order of all that happened.
    pub turn: u64,
}

/// The computation of ranks, and its speed.
#[derive(Debug)]
pub(super) struct Workload {
    pub bursts: Bursts,
    pub speeds: Speeds,
    /// Computations beside ranks.
    pub background: Table<WorkId, BackgroundWork>,
    /// Bursts of lines that run in real time.
    pub real_time: RealTime,
}

impl Workload {
    /// How long one core computes, if computation counts at all.
    pub(super) fn charged_seconds(&self, rank: RankId, work: Work) -> f64 {
        match work {
            Work::Nanos(_) | Work::Threads(_) if matches!(self.bursts, Bursts::None) => 0.0,
            _ => self.speeds.seconds(rank, work),
        }
    }
}
