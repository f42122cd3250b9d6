//! A study of load balancers: one case for each balancer and interval.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use mpirage_balance::CoreId;
use mpirage_mpi::{Balancing, CorePlace, Ending, MigrationHistory};
use mpirage_units::Duration;

use crate::balancing;
use crate::failure::{Failure, bad_trace, usage};
use crate::interrupt::Interrupt;
use crate::machine::{Machine, MachineRequest, VirtualProcessors};
use crate::replay::StopIf;
use crate::simulation::{Charged, Simulation};
use crate::workload::{charged, measured_on};

/// The balancer that leaves every rank where it is.
const NONE: &str = "none";

/// A study that is asked for: what the options of the same names say.
#[derive(Clone, Debug)]
pub struct StudyRequest {
    /// The trace as the user named it, or the program that it was made from.
    pub name: String,
    /// The file of the trace, or a generated workload.
    pub trace: String,
    /// The machine. Ranks take turns on its `on_cores`; by default each has a core.
    pub machine: MachineRequest,
    /// The computation that takes time: `traced` or `none`; by default as in the traced run.
    pub compute: Option<String>,
    /// Speed of the machine on which the trace was measured; by default as the trace says.
    pub host_speed: Option<String>,
    /// The balancers.
    pub balancer: Vec<String>,
    /// Calls of `AMPI_Migrate` between two decisions, each a case.
    pub every: Vec<NonZero<u32>>,
    /// How long a decision takes.
    pub decision: String,
    /// The bytes that a rank takes with it, if its calls do not say.
    pub state: Option<String>,
    /// Cases that are simulated at a time; by default as many as there are cores.
    pub jobs: Option<NonZero<usize>>,
}

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
    /// The simulated case.
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
pub struct Study {
    request: StudyRequest,
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

impl Study {
    /// The user's name for the trace.
    pub fn name(&self) -> &str {
        &self.request.name
    }

    /// Everything checked, before the first simulation.
    pub fn new(request: StudyRequest) -> Result<Study, Failure> {
        let workload = mpirage_trace::open(&request.trace).map_err(bad_trace)?;
        let ranks = workload.ranks();
        if workload.is_graph() {
            return Err(usage(format!("{}: ranks that are graphs cannot move", request.name)));
        }
        let on_cores = request.machine.on_cores.or(NonZero::new(ranks));
        let machine = Machine::new(&MachineRequest { on_cores, ..request.machine.clone() }, ranks)?;
        let Some(VirtualProcessors { cores, first }) = machine.virtual_processors.clone() else {
            return Err(usage(format!("{}: the trace has no ranks", request.name)));
        };
        let charged = charged(request.compute.as_deref(), workload.as_ref())?;
        let speed = measured_on(request.host_speed.as_deref(), workload.as_ref(), &machine)?;
        Ok(Study {
            cores: balancing::places(&machine, &cores, speed, charged),
            machine,
            mapping: first.into_iter().map(CoreId).collect(),
            cases: cases(&request)?,
            speed,
            charged,
            decision: balancing::decision(&request.decision)?,
            state_bytes: balancing::state_bytes(request.state.as_deref())?,
            request,
        })
    }

    /// Simulates all cases, several at a time.
    pub fn run(&self, interrupt: Interrupt) -> Result<Vec<CaseOutcome>, Failure> {
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
        let workers = self.request.jobs.unwrap_or_else(all).get().min(self.cases.len());
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        interrupt.check()?;
        let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_by_key(|(number, _)| *number);
        let outcomes: Vec<CaseOutcome> =
            outcomes.into_iter().map(|(_, outcome)| outcome).collect::<Result<_, Failure>>()?;
        let moves = self.cases.iter().any(|case| case.balancer != NONE);
        if moves && outcomes.iter().all(|outcome| outcome.history.calls == 0) {
            return Err(bad_trace(format!(
                "no rank of {} calls AMPI_Migrate (smpi/smpi.h), so no balancer could move a rank",
                self.request.name
            )));
        }
        Ok(outcomes)
    }

    fn simulate(&self, case: &Case, interrupt: Interrupt) -> Result<CaseOutcome, Failure> {
        let mut workload = mpirage_trace::open(&self.request.trace).map_err(bad_trace)?;
        let simulation = Simulation::new(&self.machine)
            .computation(self.charged, self.speed)
            .balancing(Some(self.balancing(case)?));
        let replayed = simulation.replay(workload.as_mut(), &mut StopIf(|| interrupt.came()));
        interrupt.check()?;
        let (replayed, name) = (replayed?, &self.request.name);
        match &replayed.ending {
            Ending::Finished => Ok(CaseOutcome {
                case: case.clone(),
                seconds: replayed.seconds(),
                history: replayed.migrations(),
            }),
            Ending::Misuse { text, .. } => Err(usage(format!("{}: {text}", case.balancer))),
            ending => Err(bad_trace(format!(
                "{name} does not finish with {} ({ending:?}): do all its ranks call AMPI_Migrate equally often? \
                 `mpirage replay {name}` says whether it finishes by itself",
                case.balancer
            ))),
        }
    }

    fn balancing(&self, case: &Case) -> Result<Balancing, Failure> {
        Ok(Balancing {
            cores: self.cores.clone(),
            mapping: self.mapping.clone(),
            host_names: Vec::new(),
            balancer: balancing::balancer(&case.balancer, self.request.machine.seed)?,
            every: case.every.unwrap_or(1),
            decision: self.decision,
            state_bytes: self.state_bytes,
        })
    }

    /// Doubts about the results.
    pub fn warnings(&self, outcomes: &[CaseOutcome]) -> Vec<String> {
        let mut warnings = self.machine.warnings.clone();
        let moved =
            |outcome: &CaseOutcome| outcome.history.intervals.iter().any(|interval| interval.moved > 0);
        let weightless = |outcome: &CaseOutcome| {
            outcome.history.intervals.iter().all(|interval| interval.moved_bytes == 0)
        };
        if self.state_bytes.is_none() && outcomes.iter().any(moved) && outcomes.iter().all(weightless) {
            warnings.push(
                "the trace does not say how large the state of a rank is, so migration costs no bytes; set it with --state"
                    .to_owned(),
            );
        }
        warnings
    }
}

fn cases(request: &StudyRequest) -> Result<Vec<Case>, Failure> {
    let mut cases: Vec<Case> = Vec::new();
    for name in &request.balancer {
        let intervals = if balancing::balancer(name, 0)?.moves_ranks() {
            request.every.iter().map(|every| Some(every.get())).collect()
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
