//! Ranks that move from core to core: loads, who waits at a migration point, and who is on the way.
//!
//! ```text
//! counted ─► due: barrier ─► all are here ─► the decision is made ─► states travel ─► all go on
//! ```
//!
//! [`Migrations`] owns this state. It knows neither clock nor network: the engine starts the timer and the transfers that it names.

mod iterations;

use std::collections::BTreeMap;

use mpirage_balance::{BalanceError, Balancer, CoreId, Loads, RankLoad, Snapshot, Traffic};
use mpirage_call::{LineId, RankId};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

pub use iterations::{IterationLoads, IterationRow};

/// A core to which ranks can move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorePlace {
    /// Its host.
    pub host: HostId,
    /// Its number among the cores of the host.
    pub core: u32,
    /// Cores of the host.
    pub host_cores: u32,
    /// Simulated seconds per nanosecond of measured processor time.
    pub seconds_per_nano: f64,
    /// Floating-point operations per second.
    pub flops: f64,
}

/// How ranks move during a run.
pub struct Balancing {
    /// The cores.
    pub cores: Vec<CorePlace>,
    /// The host name of each core, which a rank learns when it moves; empty if the ranks need no names.
    pub host_names: Vec<String>,
    /// The core of each rank at the start.
    pub mapping: Vec<CoreId>,
    /// Decides.
    pub balancer: Box<dyn Balancer>,
    /// Every so many calls of `AMPI_Migrate` ranks may move; the others cost nothing.
    pub every: u32,
    /// The cost of a decision, in addition to the barrier before it.
    pub decision: Duration,
    /// Bytes of state of every rank, instead of the number that the rank reports.
    pub state_bytes: Option<u64>,
}

/// The load between two decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Seconds for which each core computed, before the decision.
    pub loads: Loads,
    /// Ranks that moved.
    pub moved: u32,
    /// Bytes that they took with them.
    pub moved_bytes: u64,
    /// Was a decision made? If not, the load did not call for one.
    pub decided: bool,
}

/// The history of migrations in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MigrationHistory {
    /// One entry for each decision.
    pub intervals: Vec<Interval>,
    /// Seconds for which cores computed for each rank in the whole run.
    pub seconds: Vec<f64>,
    /// Calls of `AMPI_Migrate` of the rank with the most.
    pub calls: u32,
    /// The computation of each core between these calls, and after the last.
    pub iterations: IterationLoads,
}

/// A rank on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Migrant {
    pub rank: RankId,
    pub from: HostId,
    pub to: HostId,
    pub bytes: u64,
}

/// The ranks of a run that may move.
pub(crate) struct Migrations {
    plan: Balancing,
    wants_traffic: bool,
    ranks: Vec<Balanced>,
    traffic: BTreeMap<(u32, u32), (u64, u64)>,
    /// Lines that have reached the migration point.
    waiting: Vec<LineId>,
    /// Ranks whose state travels.
    travelling: usize,
    intervals: Vec<Interval>,
    iterations: IterationLoads,
}

/// The balancing state of a rank.
#[derive(Clone, Copy, Debug, Default)]
struct Balanced {
    /// Calls of `AMPI_Migrate`.
    calls: u32,
    /// It is in the barrier before a decision.
    in_barrier: bool,
    state_bytes: u64,
    /// Since the last decision.
    seconds: f64,
    /// In the whole run.
    all_seconds: f64,
    /// In the whole run, until its last call of `AMPI_Migrate`.
    seconds_at_call: f64,
}

impl Migrations {
    pub(crate) fn new(plan: Balancing) -> Migrations {
        let wants_traffic = plan.balancer.wants_traffic();
        let ranks = vec![Balanced::default(); plan.mapping.len()];
        let (traffic, waiting, intervals) = (BTreeMap::new(), Vec::new(), Vec::new());
        let iterations = IterationLoads::new(plan.cores.len());
        Migrations { plan, wants_traffic, ranks, traffic, waiting, travelling: 0, intervals, iterations }
    }

    /// The cores of all ranks.
    pub(crate) fn places(&self) -> impl Iterator<Item = CorePlace> + '_ {
        self.plan.mapping.iter().map(|core| self.plan.cores[core.index()])
    }

    /// How long the decision takes that is due; nothing if the load does not call for one.
    pub(crate) fn decision(&self) -> Duration {
        if self.is_needed() { self.plan.decision } else { Duration::ZERO }
    }

    fn is_needed(&self) -> bool {
        // A snapshot that contradicts itself is reported by the decision.
        let loads = self.snapshot(Vec::new()).map(|snapshot| Loads::of(&snapshot, &snapshot.current()));
        loads.is_err() || loads.is_ok_and(|loads| self.plan.balancer.is_needed(&loads))
    }

    /// A core computes for a rank.
    #[inline]
    pub(crate) fn computes(&mut self, rank: RankId, seconds: f64) {
        let rank = &mut self.ranks[rank.index()];
        rank.seconds += seconds;
        rank.all_seconds += seconds;
    }

    /// A rank sends a message.
    #[inline]
    pub(crate) fn sends(&mut self, from: RankId, to: RankId, bytes: u64) {
        if self.wants_traffic {
            let (messages, sum) = self.traffic.entry((from.get(), to.get())).or_default();
            (*messages, *sum) = (*messages + 1, *sum + bytes);
        }
    }

    /// A rank calls `AMPI_Migrate`. True if it stops there for a decision: it enters a barrier.
    pub(crate) fn calls(&mut self, rank: RankId, state_bytes: u64, now: Time) -> bool {
        let state = &mut self.ranks[rank.index()];
        let core = self.plan.mapping[rank.index()];
        self.iterations.add(state.calls, core, state.all_seconds - state.seconds_at_call, now);
        state.seconds_at_call = state.all_seconds;
        state.calls += 1;
        state.state_bytes = self.plan.state_bytes.unwrap_or(state_bytes);
        state.in_barrier =
            self.plan.balancer.moves_ranks() && state.calls.is_multiple_of(self.plan.every.max(1));
        state.in_barrier
    }

    /// A rank leaves a collective: was it the barrier before a decision?
    pub(crate) fn leaves_barrier(&mut self, rank: RankId) -> bool {
        std::mem::take(&mut self.ranks[rank.index()].in_barrier)
    }

    /// A line waits for the decision; true if all ranks do.
    pub(crate) fn arrives(&mut self, line: LineId) -> bool {
        self.waiting.push(line);
        self.waiting.len() == self.ranks.len()
    }

    /// Asks the balancer, and gives the ranks that move.
    pub(crate) fn decide(&mut self) -> Result<Vec<Migrant>, BalanceError> {
        let decided = self.is_needed();
        let traffic = std::mem::take(&mut self.traffic).into_iter();
        let traffic = traffic.map(|((from, to), (messages, bytes))| Traffic { from, to, messages, bytes });
        let snapshot = self.snapshot(traffic.collect())?;
        let mapping = if decided { self.plan.balancer.map(&snapshot)? } else { snapshot.current() };
        snapshot.check(&mapping)?;
        let moved = (0..mapping.len()).filter(|&rank| mapping[rank] != self.plan.mapping[rank]);
        let host = |core: CoreId| self.plan.cores[core.index()].host;
        let migrant = |rank: usize| Migrant {
            rank: RankId::new(rank as u32),
            from: host(self.plan.mapping[rank]),
            to: host(mapping[rank]),
            bytes: self.ranks[rank].state_bytes,
        };
        let migrants: Vec<Migrant> = moved.map(migrant).collect();
        self.intervals.push(Interval {
            loads: Loads::of(&snapshot, &snapshot.current()),
            moved: migrants.len() as u32,
            moved_bytes: migrants.iter().map(|migrant| migrant.bytes).sum(),
            decided,
        });
        self.plan.mapping = mapping;
        self.travelling = migrants.len();
        self.ranks.iter_mut().for_each(|rank| rank.seconds = 0.0);
        Ok(migrants)
    }

    fn snapshot(&self, traffic: Vec<Traffic>) -> Result<Snapshot, BalanceError> {
        let rank = |(state, &core): (&Balanced, &CoreId)| RankLoad {
            seconds: state.seconds,
            state_bytes: state.state_bytes,
            core,
        };
        let fastest = self.plan.cores.iter().map(|core| core.flops).fold(0.0, f64::max);
        // Where computation costs nothing, all cores are equal.
        let speed = |core: &CorePlace| if fastest.is_finite() { core.flops / fastest } else { 1.0 };
        let core = |core: &CorePlace| mpirage_balance::Core {
            host: core.host.0,
            speed: speed(core),
            background: 0.0,
        };
        let ranks = self.ranks.iter().zip(&self.plan.mapping).map(rank).collect();
        Snapshot::new(ranks, self.plan.cores.iter().map(core).collect(), traffic)
    }

    /// The state of a rank has arrived; true if it was the last.
    pub(crate) fn arrived(&mut self) -> bool {
        self.travelling -= 1;
        self.travelling == 0
    }

    /// The name of the host of a rank.
    pub(crate) fn host_name(&self, rank: RankId) -> Option<&str> {
        self.plan.host_names.get(self.plan.mapping[rank.index()].index()).map(String::as_str)
    }

    /// The lines that have waited, in the order of their numbers.
    pub(crate) fn release(&mut self) -> Vec<LineId> {
        let mut lines = std::mem::take(&mut self.waiting);
        lines.sort_unstable();
        lines
    }

    /// `now` is the end of the run.
    pub(crate) fn history(&self, now: Time) -> MigrationHistory {
        let mut iterations = self.iterations.clone();
        for (rank, &core) in self.ranks.iter().zip(&self.plan.mapping) {
            let rest = rank.all_seconds - rank.seconds_at_call;
            if rest > 0.0 {
                iterations.add(rank.calls, core, rest, now);
            }
        }
        let seconds = self.ranks.iter().map(|rank| rank.all_seconds).collect();
        let calls = self.ranks.iter().map(|rank| rank.calls).max().unwrap_or(0);
        MigrationHistory { intervals: self.intervals.clone(), seconds, calls, iterations }
    }
}
