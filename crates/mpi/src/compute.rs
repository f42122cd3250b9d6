//! How long the program's own computation takes.
//!
//! A call comes with the processor time its rank used since the call before. What that means on the
//! simulated machine is decided here: it counts, scaled; it does not; or a recorded cost replaces it, so
//! that a run can be repeated exactly. What a program says that it computes counts as it says.

use mpirage_call::{BLOCKING, Burst, Completion, RequestId, Stamp, Work};
use mpirage_kernel::Computation;
use mpirage_record::Record;
use mpirage_units::Time;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::perform::Progress;
use crate::rank::{Claim, Phase};
use crate::request::Operation;
use crate::token;

/// Recorded costs: each burst, by rank.
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
    /// As measured, and written down.
    Recording(Costs),
    /// As written down by an earlier run; the position reached in each rank.
    Recorded(Costs, Vec<usize>),
}

impl Bursts {
    /// What the burst before a call counts for. `Err` if the recording has no such burst.
    pub(crate) fn of(&mut self, rank: u32, stamp: &Stamp) -> Result<Burst, usize> {
        let rank = rank as usize;
        match self {
            Bursts::None => Ok(Burst::NONE),
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

/// Computation beside a rank that goes on meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    pub rank: u32,
    pub request: RequestId,
    pub start: Time,
    pub work: Work,
    /// When its processor started it, among all that happened.
    pub turn: u64,
}

impl<M> Engine<M> {
    /// How long one core of a rank's host computes.
    pub(crate) fn seconds_of(&self, rank: u32, work: Work) -> f64 {
        let index = rank as usize;
        match work {
            Work::Flops(flops) => flops / self.host_flops[index],
            Work::Nanos(nanos) => nanos as f64 * self.seconds_per_nano[index],
            Work::Threads(burst) => burst.nanos() as f64 * self.seconds_per_nano[index],
        }
    }

    /// Work of a rank that takes one core so many seconds.
    pub(crate) fn computation(&self, rank: u32, seconds: f64, work: Work) -> Computation {
        let threads = if let Work::Threads(burst) = work { burst.threads() } else { 1.0 };
        Computation { host: self.hosts[rank as usize], seconds, threads }
    }
}

impl<M: Memory> Engine<M> {
    /// The rank computes as much as it says, or something beside it does.
    pub(crate) fn compute(&mut self, rank: u32, work: Work, request: Option<RequestId>) -> Progress {
        let index = rank as usize;
        let seconds = match work {
            Work::Nanos(_) | Work::Threads(_) if matches!(self.bursts, Bursts::None) => 0.0,
            _ => self.seconds_of(rank, work),
        };
        if let Some(request) = request {
            if self.graphs.is_some() {
                self.hand_over_work(rank, work, request);
                return Progress::Done;
            }
            self.compute_beside(rank, work, seconds, request);
            return Progress::Done;
        }
        if seconds <= 0.0 {
            return Progress::Done;
        }
        (self.ranks[index].phase, self.ranks[index].work) = (Phase::Executing, work);
        if self.protocol.processor.is_some() {
            self.compute_on_processor(rank, Claim::Execute);
            return Progress::Blocked;
        }
        let computation = self.computation(rank, seconds, work);
        self.kernel.start_compute(computation, token::rank(rank));
        Progress::Blocked
    }

    fn compute_beside(&mut self, rank: u32, work: Work, seconds: f64, request: RequestId) {
        debug_assert_ne!(request, BLOCKING);
        self.open_request(rank, request, Operation::Work);
        if seconds <= 0.0 {
            return self.request_done(rank, request, Completion::empty(0), Time::ZERO);
        }
        let start = self.kernel.now();
        let id = self.beside.insert(Beside { rank, request, start, work, turn: 0 }) as u32;
        if self.protocol.processor.is_some() {
            return self.compute_beside_on_processor(rank, id);
        }
        let computation = self.computation(rank, seconds, work);
        self.kernel.start_compute(computation, token::beside(id));
    }

    /// What was computed beside a rank is done.
    pub(crate) fn beside_done(&mut self, id: u32) {
        if self.graphs.is_some() {
            return self.graph_worked(id);
        }
        let Beside { rank, request, start, work, turn } = self.beside.remove(id as usize);
        let end = self.kernel.now();
        self.ranks[rank as usize].requests[request.index()].ideal += end.since(start);
        self.recorder.record(&Record::Burst { rank, start, end, work, beside: true });
        self.end_of_work(rank);
        self.count_from(rank, turn);
        self.request_done(rank, request, Completion::empty(0), Time::ZERO);
    }
}
