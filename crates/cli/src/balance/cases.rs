//! What is simulated: one case for each balancer and interval.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use mpirage_balance::CoreId;
use mpirage_mpi::{Balancing, Bursts, CorePlace, Ending, Engine, MigrationHistory, NoMemory};
use mpirage_record::Summary;
use mpirage_replay::{ReplayError, Watch};
use mpirage_units::Duration;

use crate::arguments::{BalanceArguments, MachineArguments};
use crate::balancing;
use crate::exit::{Failure, bad_trace, usage};
use crate::interrupt::Interrupt;
use crate::machine::{Machine, VirtualProcessors};
use crate::replay::{charged, measured_on};
use crate::reporting::Charged;

/// A balancer, and how often it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub balancer: String,
    /// Calls of `AMPI_Migrate` between two decisions; none if it never moves a rank.
    pub every: Option<u32>,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub struct CaseOutcome {
    /// What was simulated.
    pub case: Case,
    /// When the last rank ended.
    pub seconds: f64,
    /// Decisions and loads.
    pub history: MigrationHistory,
}

impl CaseOutcome {
    /// The share of the run for which cores compute.
    pub fn mean_load(&self, cores: usize) -> f64 {
        let core_seconds = cores as f64 * self.seconds;
        if core_seconds > 0.0 { self.history.seconds.iter().sum::<f64>() / core_seconds } else { 0.0 }
    }
}

/// A trace, a machine and the cases.
pub struct Study<'a> {
    /// What the user typed.
    pub arguments: &'a BalanceArguments,
    /// The file of the trace, or a generated workload.
    trace: String,
    /// The machine, with the first core of each rank.
    pub machine: Machine,
    /// The cores to which ranks can move.
    pub cores: Vec<CorePlace>,
    mapping: Vec<CoreId>,
    cases: Vec<Case>,
    speed: f64,
    charged: Charged,
    decision: Duration,
    state_bytes: Option<u64>,
}

impl<'a> Study<'a> {
    /// Everything checked, before the first simulation. `trace` is the file that the user named, or one made from it; `compute` says which of its
    /// computation takes time.
    pub fn new(
        arguments: &'a BalanceArguments,
        trace: &str,
        compute: Option<&str>,
    ) -> Result<Study<'a>, Failure> {
        let workload = mpirage_trace::open(trace).map_err(bad_trace)?;
        let ranks = workload.ranks();
        if workload.is_graph() {
            return Err(usage(format!("{}: ranks that are graphs cannot move", arguments.trace)));
        }
        let on_cores = arguments.cores.or(arguments.machine.on_cores).or(NonZero::new(ranks));
        let machine = Machine::new(&MachineArguments { on_cores, ..arguments.machine.clone() }, ranks)?;
        let Some(VirtualProcessors { cores, first }) = machine.virtual_processors.clone() else {
            return Err(usage(format!("{}: the trace has no ranks", arguments.trace)));
        };
        let charged = charged(compute, workload.as_ref())?;
        let speed = measured_on(arguments.host_speed.as_deref(), workload.as_ref(), &machine)?;
        Ok(Study {
            arguments,
            trace: trace.to_owned(),
            cores: balancing::places(&machine, &cores, speed, charged),
            machine,
            mapping: first.into_iter().map(CoreId).collect(),
            cases: cases(arguments)?,
            speed,
            charged,
            decision: balancing::decision(&arguments.decision)?,
            state_bytes: balancing::state_bytes(arguments.state.as_deref())?,
        })
    }

    /// Simulates all cases, several at a time.
    pub fn run(&self, interrupt: &Interrupt) -> Result<Vec<CaseOutcome>, Failure> {
        let next = AtomicUsize::new(0);
        let outcomes = Mutex::new(Vec::new());
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = self.cases.get(number) else { return };
                let outcome = self.simulate(case, interrupt);
                if outcome.is_err() {
                    next.store(self.cases.len(), Ordering::Relaxed);
                }
                outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
            }
        };
        let all = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let workers = self.arguments.jobs.unwrap_or_else(all).get().min(self.cases.len());
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        interrupt.check()?;
        let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_by_key(|(number, _)| *number);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn simulate(&self, case: &Case, interrupt: &Interrupt) -> Result<CaseOutcome, Failure> {
        let mut workload = mpirage_trace::open(&self.trace).map_err(bad_trace)?;
        let mut engine = self.engine(case)?;
        let ending = mpirage_replay::run(&mut engine, workload.as_mut(), &mut Interruptible(interrupt));
        interrupt.check()?;
        let name = &self.arguments.trace;
        match ending {
            Ok(Ending::Finished) => {}
            Ok(Ending::Misuse { text, .. }) => {
                return Err(usage(format!("{}: {text}", case.balancer)));
            }
            Ok(ending) => {
                return Err(bad_trace(format!(
                    "{name} does not finish with {} ({ending:?}): do all its ranks call AMPI_Migrate equally often? \
                     `mpirage replay {name}` says whether it finishes by itself",
                    case.balancer
                )));
            }
            Err(ReplayError::Trace(error)) => return Err(bad_trace(error)),
            Err(error @ ReplayError::Stopped) => return Err(usage(error)),
        }
        let seconds = engine.ends().map(|end| end.as_secs_f64()).fold(0.0, f64::max);
        let history = engine.migration_history().unwrap_or_default();
        Ok(CaseOutcome { case: case.clone(), seconds, history })
    }

    fn engine(&self, case: &Case) -> Result<Engine<NoMemory>, Failure> {
        let bursts = if self.charged.bursts { Bursts::Measured } else { Bursts::None };
        let mut setup = self.machine.setup(self.speed, bursts, Box::new(Summary::default()));
        if !self.charged.bursts {
            setup.protocol.reduce_seconds_per_byte = 0.0;
            setup.protocol.copy_seconds_per_byte = 0.0;
        }
        if !self.charged.declared {
            setup.host_flops.fill(f64::INFINITY);
        }
        let mut engine = Engine::new(setup, NoMemory);
        let plan = Balancing {
            cores: self.cores.clone(),
            mapping: self.mapping.clone(),
            host_names: Vec::new(),
            balancer: balancing::balancer(&case.balancer, self.arguments.machine.seed)?,
            every: case.every.unwrap_or(1),
            decision: self.decision,
            state_bytes: self.state_bytes,
        };
        engine
            .balance(plan)
            .map_err(|error| usage(format!("--model {}: {error}", self.machine.model.name)))?;
        Ok(engine)
    }

    /// Doubts about the results.
    pub fn warnings(&self, outcomes: &[CaseOutcome]) -> Vec<String> {
        let mut warnings = self.machine.warnings.clone();
        if outcomes.iter().all(|outcome| outcome.history.calls == 0) {
            warnings.push(format!(
                "no rank of {} calls AMPI_Migrate (smpi/smpi.h), so no balancer could move a rank",
                self.arguments.trace
            ));
        }
        let moved =
            |outcome: &CaseOutcome| outcome.history.intervals.iter().any(|interval| interval.moved > 0);
        let weightless = |outcome: &CaseOutcome| {
            outcome.history.intervals.iter().all(|interval| interval.moved_bytes == 0)
        };
        if outcomes.iter().any(moved) && outcomes.iter().all(weightless) {
            warnings.push(
                "the trace does not say how large the state of a rank is, so migration costs no bytes; set it with --state"
                    .to_owned(),
            );
        }
        warnings
    }
}

fn cases(arguments: &BalanceArguments) -> Result<Vec<Case>, Failure> {
    let mut cases: Vec<Case> = Vec::new();
    for name in &arguments.balancer {
        let intervals = if balancing::balancer(name, 0)?.moves_ranks() {
            arguments.every.iter().map(|every| Some(every.get())).collect()
        } else {
            vec![None]
        };
        let case = |every| Case { balancer: name.clone(), every };
        let new = intervals.into_iter().map(case).filter(|case| !cases.contains(case));
        let new: Vec<Case> = new.collect();
        cases.extend(new);
    }
    Ok(cases)
}

/// Stops when a signal asks for it.
struct Interruptible<'a>(&'a Interrupt);

impl Watch for Interruptible<'_> {
    fn progress(&mut self, _: f64, _: usize) -> bool {
        self.0.came()
    }
}
