//! Computation of ranks, and beside them.

use mpirage_call::{BLOCKING, Completion, LineId, RankId, RequestId, Work};
use mpirage_kernel::{Computation, Traffic};
use mpirage_units::Time;

use super::bursts::{BackgroundWork, Workload};
use super::core::Core;
use super::task::Progress;
use crate::due::Due;
use crate::memory::Memory;
use crate::occupancy::GraphItem;
use crate::ranks::line::{Claim, Line, Phase};
use crate::ranks::request::Operation;

/// A short-lived view of the parts that computation and processors concern.
pub(super) struct Processing<'a, M> {
    pub core: &'a mut Core<M>,
    pub work: &'a mut Workload,
}

impl<M: Memory> Processing<'_, M> {
    /// The line computes as much as it says, or something beside it does.
    pub(super) fn compute(&mut self, line: LineId, work: Work, request: Option<RequestId>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        let takes_time =
            self.work.charged_seconds(rank, work) > 0.0 || self.work.speeds.traffic(rank, work).is_some();
        if let Some(id) = request {
            self.compute_in_background(line, work, id, takes_time);
        } else if takes_time {
            self.start_work(line, work, Claim::Execute);
            return Progress::Blocked;
        }
        Progress::Done
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
        let stretch = self.core.protocol().noise.stretch(rank, self.core.now());
        let (host, all) = (self.core.host(rank), stretch * self.work.speeds.seconds(rank, work));
        let seconds = match due {
            Due::Line(line) => {
                let Line { phase, entered, .. } = self.core.ranks.line(line);
                // A line that runs in real time has computed since then, on as many cores as it has threads.
                let since = if phase.is(&Phase::Computing) { *entered } else { self.core.now() };
                let cores = threads.min(self.work.speeds.cores(rank));
                (all - self.core.now().since(since).as_secs_f64() * cores).max(0.0)
            }
            _ => all,
        };
        self.core.observers.computes(rank, seconds);
        if let Some(migrations) = &mut self.core.migrations {
            migrations.computes(rank, seconds);
        }
        let core = self.work.speeds.core(rank);
        let computation = Computation { host, core, seconds, threads };
        // A computation that its core limits needs its bytes little by little.
        let traffic = |bytes| Traffic { end_point: rank.get(), bytes, rate: bytes / seconds, cores: threads };
        let traffic = self.work.speeds.traffic(rank, work).map(traffic);
        self.core.wire.start_compute(computation, traffic, due);
    }

    fn compute_in_background(&mut self, line: LineId, work: Work, request: RequestId, takes_time: bool) {
        debug_assert_ne!(request, BLOCKING);
        self.core.ranks.open_request(line, request, Operation::Work);
        let state = self.core.ranks.line(line);
        let (rank, told, start) = (state.rank, state.reply.now, self.core.now());
        if !self.core.occupancy.has_graphs() && !takes_time {
            let owner = self.core.ranks.owner(line, request);
            return self.core.complete(owner, Completion::empty(0), Time::ZERO);
        }
        let id = self.work.background.insert(BackgroundWork { rank, request, start, work, turn: 0 });
        if let Some(graphs) = self.core.occupancy.graphs() {
            graphs.hand_over(rank, GraphItem::Work(id), told);
        } else if self.claim_background(rank, id) {
            self.start_computation(rank, work, Due::Work(id));
        }
    }
}

/// The phase of a line that computes for this reason.
pub(super) fn computing(claim: Claim) -> Phase {
    if claim == Claim::Burst { Phase::Computing } else { Phase::Executing }
}
