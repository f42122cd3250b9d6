//! A simulation: a machine, which computation takes time, and who records. The only place that builds an engine.

use mpirage_collectives::Choice;
use mpirage_mpi::{Balancing, Bursts, Ending, Engine, Memory, MigrationHistory, NoMemory, Setup};
use mpirage_packet::CaptureRequest;
use mpirage_platform::UNMEASURED_SPEED;
use mpirage_record::{MessageRecord, Record, Recorder};
use mpirage_trace::Workload;
use mpirage_units::Time;

use crate::failure::{Failure, bad_trace, usage};
use crate::machine::Machine;
use crate::replay::{self, ReplayError, Watch};

/// The kinds of computation that take simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// Measured bursts, and the work inside MPI: copies and reductions.
    pub bursts: bool,
    /// Work that ranks declare, in floating-point operations.
    pub declared: bool,
}

impl Charged {
    /// All computation takes time.
    pub const ALL: Charged = Charged { bursts: true, declared: true };
    /// No computation takes time.
    pub const NONE: Charged = Charged { bursts: false, declared: false };
}

/// A job: ranks that follow each other, with a world of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobShape {
    /// How many ranks it has.
    pub size: u32,
    /// When it starts.
    pub start: Time,
    /// Speed in flops of the machine on which its computation was measured; none if its computation takes no time.
    pub speed: Option<f64>,
}

/// A simulation that has not begun.
pub struct Simulation<'a> {
    machine: &'a Machine,
    bursts: Bursts,
    charged: Charged,
    speed: f64,
    collectives: Option<Choice>,
    recorder: Box<dyn Recorder>,
    captures: Vec<CaptureRequest>,
    jobs: Vec<JobShape>,
    balancing: Option<Balancing>,
}

impl<'a> Simulation<'a> {
    /// On this machine: ranks compute nothing between their calls, and nothing is recorded, unless the methods below say otherwise.
    pub fn new(machine: &'a Machine) -> Simulation<'a> {
        Simulation {
            machine,
            bursts: Bursts::None,
            charged: Charged::ALL,
            speed: UNMEASURED_SPEED,
            collectives: None,
            recorder: Box::new(Unrecorded),
            captures: Vec::new(),
            jobs: Vec::new(),
            balancing: None,
        }
    }

    /// The computation that takes time, if it was measured on a core of `speed` flops.
    #[must_use]
    pub fn computation(self, charged: Charged, speed: f64) -> Simulation<'a> {
        let bursts = if charged.bursts { Bursts::Measured } else { Bursts::None };
        Simulation { bursts, charged, speed, ..self }
    }

    /// Where measured computation comes from, other than from the calls themselves.
    #[must_use]
    pub fn bursts(self, bursts: Bursts) -> Simulation<'a> {
        Simulation { bursts, ..self }
    }

    /// Algorithms of collectives instead of those of the machine.
    #[must_use]
    pub fn collectives(self, choice: Choice) -> Simulation<'a> {
        Simulation { collectives: Some(choice), ..self }
    }

    /// Sets the recorder of the run.
    #[must_use]
    pub fn recorder(self, recorder: Box<dyn Recorder>) -> Simulation<'a> {
        Simulation { recorder, ..self }
    }

    /// Captures of frames, which the network writes.
    #[must_use]
    pub fn captures(self, captures: Vec<CaptureRequest>) -> Simulation<'a> {
        Simulation { captures, ..self }
    }

    /// Jobs beside each other, instead of one of all ranks. Ranks that are left are room for processes that ranks start.
    #[must_use]
    pub fn jobs(self, jobs: Vec<JobShape>) -> Simulation<'a> {
        Simulation { jobs, ..self }
    }

    /// Lets ranks move between cores.
    #[must_use]
    pub fn balancing(self, balancing: Option<Balancing>) -> Simulation<'a> {
        Simulation { balancing, ..self }
    }

    /// The engine of the run, for ranks with this memory.
    pub fn engine<M: Memory>(self, memory: M) -> Result<Engine<M>, Failure> {
        let Simulation { machine, bursts, charged, speed, collectives, recorder, captures, jobs, balancing } =
            self;
        let mut setup = machine.setup(captures, speed, bursts, recorder)?;
        if let Some(collectives) = collectives {
            setup.collectives = collectives;
        }
        if !charged.declared {
            setup.host_flops.fill(f64::INFINITY);
        }
        add_jobs(&mut setup, machine, &jobs);
        let mut engine = Engine::new(setup, memory);
        if let Some(balancing) = balancing {
            let refused = |error| usage(format!("--model {}: {error}", machine.model.name));
            engine.balance(balancing).map_err(refused)?;
        }
        Ok(engine)
    }

    /// Replays the calls of a workload, to the end.
    pub fn replay(self, workload: &mut dyn Workload, watch: &mut dyn Watch) -> Result<Replayed, Failure> {
        let (engine, ending) = self.replay_until_stopped(workload, watch)?;
        Ok(Replayed { engine, ending: ending.ok_or_else(|| usage(ReplayError::Stopped))? })
    }

    /// Replays the calls of a workload, to the end or until `watch` stops it; then there is no ending.
    pub(crate) fn replay_until_stopped(
        self,
        workload: &mut dyn Workload,
        watch: &mut dyn Watch,
    ) -> Result<(Engine<NoMemory>, Option<Ending>), Failure> {
        let mut engine = self.engine(NoMemory)?;
        let ending = match replay::run(&mut engine, workload, watch) {
            Ok(ending) => Some(ending),
            Err(ReplayError::Trace(error)) => return Err(bad_trace(error)),
            Err(ReplayError::Stopped) => None,
        };
        engine.close_records();
        Ok((engine, ending))
    }
}

fn add_jobs(setup: &mut Setup, machine: &Machine, jobs: &[JobShape]) {
    setup.jobs = jobs.iter().map(|job| job.size).collect();
    setup.starts = jobs.iter().map(|job| job.start).collect();
    let speeds = jobs.iter().flat_map(|job| std::iter::repeat_n(job.speed, job.size as usize));
    for ((seconds, &host), speed) in
        setup.seconds_per_nano.iter_mut().zip(&machine.placement.hosts).zip(speeds)
    {
        *seconds = speed.map_or(0.0, |speed| machine.slowdown(host, speed) * 1e-9);
    }
}

/// A replay that has ended.
pub struct Replayed {
    /// The engine, for what else is to be known.
    pub engine: Engine<NoMemory>,
    /// How it ended.
    pub ending: Ending,
}

impl Replayed {
    /// Simulated seconds until the last rank ended.
    pub fn seconds(&self) -> f64 {
        self.engine.ends().map(|end| end.as_secs_f64()).fold(0.0, f64::max)
    }

    /// Decisions and loads of a run in which ranks could move.
    pub fn migrations(&self) -> MigrationHistory {
        self.engine.migration_history().unwrap_or_default()
    }
}

/// Records nothing: only the end counts.
struct Unrecorded;

impl Recorder for Unrecorded {
    fn record(&mut self, _: &Record<'_>) {}

    fn messages(&mut self, _: &[MessageRecord]) {}
}
