//! How long the program's own computation takes.
//!
//! A call comes with the processor time its rank used since the call before. This module decides what that means on the
//! simulated machine: it counts, scaled; it does not; or a recorded cost replaces it, so that a run can be repeated exactly.
//! What a program says that it computes counts as it says.

use mpirage_call::{BLOCKING, Burst, Completion, LineId, RankId, RequestId, Stamp, Work};
use mpirage_kernel::Computation;
use mpirage_record::Record;
use mpirage_units::Time;

use super::perform::Progress;
use super::wiring::Engine;
use crate::due::Due;
use crate::ids::WorkId;
use crate::memory::Memory;
use crate::occupancy::GraphItem;
use crate::ranks::line::{Claim, Phase};
use crate::ranks::request::Operation;
use crate::transport::message::Owner;

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
    /// As measured, and recorded.
    Recording(Costs),
    /// As recorded by an earlier run; the position reached in each rank.
    Recorded(Costs, Vec<usize>),
}

impl Bursts {
    /// What the burst before a call counts for. `Err` if the recording has no such burst.
    pub(super) fn of(&mut self, rank: RankId, stamp: &Stamp) -> Result<Burst, usize> {
        match self {
            Bursts::None => Ok(Burst::NONE),
            Bursts::Measured => Ok(stamp.burst),
            Bursts::Recording(costs) => {
                costs.by_rank[rank.index()].push(stamp.burst);
                Ok(stamp.burst)
            }
            Bursts::Recorded(costs, positions) => {
                let position = positions[rank.index()];
                positions[rank.index()] += 1;
                costs.by_rank[rank.index()].get(position).copied().ok_or(position)
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
pub(super) struct Speeds {
    seconds_per_nano: Vec<f64>,
    flops: Vec<f64>,
    cores: Vec<u32>,
}

impl Speeds {
    pub(super) fn new(seconds_per_nano: Vec<f64>, flops: Vec<f64>, cores: Vec<u32>) -> Speeds {
        Speeds { seconds_per_nano, flops, cores }
    }

    /// How long one core of a rank's host computes.
    pub(super) fn seconds(&self, rank: RankId, work: Work) -> f64 {
        match work {
            Work::Flops(flops) => flops / self.flops[rank.index()],
            Work::Nanos(nanos) => nanos as f64 * self.seconds_per_nano[rank.index()],
            Work::Threads(burst) => burst.nanos() as f64 * self.seconds_per_nano[rank.index()],
        }
    }

    /// Cores of a rank's host.
    pub(super) fn cores(&self, rank: RankId) -> f64 {
        f64::from(self.cores[rank.index()])
    }
}

/// A computation beside a rank that goes on meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackgroundWork {
    pub rank: RankId,
    pub request: RequestId,
    pub start: Time,
    pub work: Work,
    /// When its processor started it, in the order of all that happened.
    pub turn: u64,
}

impl<M: Memory> Engine<M> {
    /// The line computes as much as it says, or something beside it does.
    pub(super) fn compute(&mut self, line: LineId, work: Work, request: Option<RequestId>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let takes_time = self.charged_seconds(rank, work) > 0.0;
        if let Some(id) = request {
            self.compute_in_background(line, work, id, takes_time);
        } else if takes_time {
            self.start_work(line, work, Claim::Execute);
            return Progress::Blocked;
        }
        Progress::Done
    }

    /// How long one core computes, if computation counts at all.
    pub(super) fn charged_seconds(&self, rank: RankId, work: Work) -> f64 {
        match work {
            Work::Nanos(_) | Work::Threads(_) if matches!(self.bursts, Bursts::None) => 0.0,
            _ => self.speeds.seconds(rank, work),
        }
    }

    /// A line computes, now or when its processor is free.
    pub(super) fn start_work(&mut self, line: LineId, work: Work, claim: Claim) {
        let state = self.core.ranks.line_mut(line);
        state.work = work;
        state.phase = computing(claim);
        let rank = state.rank;
        if self.claim_work(line, rank, claim) {
            self.start_computation(rank, work, Due::Line(line));
        }
    }

    /// The cores of a rank's host start to compute.
    pub(super) fn start_computation(&mut self, rank: RankId, work: Work, due: Due) {
        let threads = if let Work::Threads(burst) = work { burst.threads() } else { 1.0 };
        let (host, seconds) = (self.core.host(rank), self.speeds.seconds(rank, work));
        self.core.kernel.start_compute(Computation { host, seconds, threads }, due.token());
    }

    /// A line has computed.
    pub(super) fn work_done(&mut self, line: LineId) {
        let (end, state) = (self.core.kernel.now(), self.core.ranks.line(line));
        let (rank, start, work) = (state.rank, state.entered, state.work);
        self.core.ranks.pass_ideal(line, end.since(start));
        self.core.observers.record(&Record::Burst { rank: rank.get(), start, end, work, beside: false });
        self.end_of_work(rank);
    }

    fn compute_in_background(&mut self, line: LineId, work: Work, request: RequestId, takes_time: bool) {
        debug_assert_ne!(request, BLOCKING);
        self.core.ranks.open_request(line, request, Operation::Work);
        let state = self.core.ranks.line(line);
        let (rank, told, start) = (state.rank, state.reply.now, self.core.kernel.now());
        if !self.core.occupancy.has_graphs() && !takes_time {
            let owner = self.core.ranks.owner(line, request);
            return self.core.complete(owner, Completion::empty(0), Time::ZERO);
        }
        let id = self.background.insert(BackgroundWork { rank, request, start, work, turn: 0 });
        if let Some(graphs) = self.core.occupancy.graphs() {
            graphs.hand_over(rank, GraphItem::Work(id), told);
        } else if self.claim_background(rank, id) {
            self.start_computation(rank, work, Due::Work(id));
        }
    }

    /// A computation beside a rank is over.
    pub(super) fn background_done(&mut self, id: WorkId) {
        let BackgroundWork { rank, request, start, work, turn } = self.background.remove(id);
        let end = self.core.kernel.now();
        self.core.observers.record(&Record::Burst { rank: rank.get(), start, end, work, beside: true });
        if self.core.occupancy.has_graphs() {
            // The graph knew of the end when the computation started.
            return;
        }
        self.core.ranks.pass_request_ideal(rank, request, end.since(start));
        self.end_of_work(rank);
        if let Some(processors) = self.core.occupancy.processors() {
            processors.count_from(rank, turn);
        }
        let owner = Owner::Request { rank, id: request };
        self.core.complete(owner, Completion::empty(0), Time::ZERO);
    }
}

/// The phase of a line that computes for this reason.
pub(super) fn computing(claim: Claim) -> Phase {
    if claim == Claim::Burst { Phase::Computing } else { Phase::Executing }
}
