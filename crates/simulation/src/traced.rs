//! A replay, from what is asked for to its figures and files.

use std::time::Instant;

use mpirage_collectives::Choice;
use mpirage_mpi::{Ending, Engine, NoMemory, waiting_cycle};
use mpirage_rank::Outcome;
use mpirage_record::{Recorder, Summary};
use mpirage_report::Container;
use mpirage_trace::Workload;
use serde::Deserialize;

use crate::captures::Captures;
use crate::diagnosis::{Diagnosis, Explained};
use crate::failure::{self, Failure, bad_trace, usage};
use crate::figures::Figures;
use crate::interrupt::Interrupt;
use crate::json::Unknown;
use crate::limits::{self, RankKind};
use crate::live::Watched;
use crate::machine::{Machine, MachineRequest};
use crate::outputs::{Failures, OutputRequest};
use crate::recordings::{Recordings, Source};
use crate::repetition::{self, Repetition};
use crate::replay::{ReplayError, StopIf, Watch};
use crate::reporting::{self, Closing};
use crate::simulation::{Charged, Simulation};
use crate::workload::{TracePlaces, charged, describe_compute, lines_of, measured_on};

/// A replay that is asked for. Fields have the names of the options of `mpirage replay`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReplayRequest {
    /// The trace, or a generated workload.
    pub workload: String,
    /// The machine.
    #[serde(flatten)]
    pub machine: MachineRequest,
    /// The files that it writes.
    #[serde(flatten)]
    pub outputs: OutputRequest,
    /// The computation that takes time: `traced` or `none`; by default as in the traced run.
    pub compute: Option<String>,
    /// Speed of the machine on which the trace was measured; by default as the trace says.
    pub host_speed: Option<String>,
    /// Runs with other random numbers, this one included.
    pub repeat: Option<u32>,
    /// Settings that do not exist: [`crate::door::Request`] refuses them.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A replay whose trace is open.
pub struct Replay {
    request: ReplayRequest,
    workload: Box<dyn Workload>,
    started: Instant,
}

/// A run that has ended, with all files written.
pub struct Ended {
    /// Its figures.
    pub figures: Figures,
    /// The exit code.
    pub code: u8,
    /// The data of its report, if they are wanted and no page.
    pub report: Option<Container>,
    /// Outputs that could not be written.
    pub failures: Failures,
    /// Remarks for the user: what the run left behind, and what its traces could not hold.
    pub remarks: Vec<String>,
}

/// How a replay is charged.
struct Charge {
    charged: Charged,
    speed: f64,
    words: String,
}

impl Replay {
    /// Opens the trace.
    pub fn open(request: ReplayRequest) -> Result<Replay, Failure> {
        let started = Instant::now();
        let workload = mpirage_trace::open(&request.workload).map_err(bad_trace)?;
        limits::check_ranks(&request.workload, workload.ranks().into(), RankKind::Replayed)?;
        Ok(Replay { request, workload, started })
    }

    /// The request.
    pub fn request(&self) -> &ReplayRequest {
        &self.request
    }

    /// The trace.
    pub fn workload(&self) -> &dyn Workload {
        self.workload.as_ref()
    }

    /// The machine for its ranks.
    pub fn machine(&self) -> Result<Machine, Failure> {
        let mut machine = Machine::new(&self.request.machine, self.workload.ranks())?;
        machine.warnings.extend(repetition::doubt(self.request.repeat, &machine));
        Ok(machine)
    }

    /// Replays on this machine, and writes all files.
    pub fn run(
        mut self,
        machine: &mut Machine,
        watch: &mut dyn Watch,
        interrupt: Interrupt,
    ) -> Result<Ended, Failure> {
        let charge = self.charge(machine)?;
        let source = Source {
            name: &self.request.workload,
            speed: charge.speed,
            free: !charge.charged.bursts,
            compute: &charge.words,
            lines: lines_of(self.workload.as_ref()),
        };
        let mut recordings = Recordings::create(&self.request.outputs, &source, machine)?;
        let (captures, requests) = Captures::open(&self.request.outputs, machine)?;
        let simulation = Simulation::new(machine)
            .computation(charge.charged, charge.speed)
            .recorder(recordings.recorder())
            .captures(requests);
        let onlooker = recordings.onlooker(self.started, || self.known(machine, &charge));
        let watch = &mut Watched { inner: watch, onlooker };
        let (mut engine, ending) = simulation.replay_until_stopped(self.workload.as_mut(), watch)?;
        let outcome = match ending {
            Some(ending) => Outcome::of(ending, 0),
            None => Outcome::Interrupted {
                signal: interrupt.signal().ok_or_else(|| usage(ReplayError::Stopped))?,
            },
        };
        let (explained, code) = explain(&engine, self.workload.as_ref(), &outcome);
        let mut figures = self.figures(&engine, machine, &outcome, &charge, &recordings.summary());
        recordings.complete(&mut figures, machine);
        (figures.explanation, figures.deadlock) = (explained.text.clone(), explained.deadlock);
        let mut failures = Failures::default();
        captures.finish(engine.finish_network(), &mut failures);
        if self.request.outputs.is_empty() {
            // The process ends soon. Freeing the memory of a large run piece by piece would take time.
            std::mem::forget(engine);
        } else {
            drop(engine);
        }
        let mut remarks = explained.leftovers;
        remarks.extend(recordings.finish(&mut failures));
        if let Some(runs) = self.request.repeat.filter(|_| code == 0) {
            let spread = self.repetition(runs).spread(figures.simulated_seconds, machine, interrupt)?;
            figures.repetition = Some(spread);
            figures.wall_seconds = self.started.elapsed().as_secs_f64();
        }
        let figures = figures.with_usage();
        let closing = Closing {
            figures: &figures,
            outcome: explained.text.as_deref(),
            waits: explained.waits,
            notes: reporting::notes(machine),
            speed: charge.speed,
            charged: charge.charged,
        };
        let report = failures.note(recordings.report(machine, &closing)).flatten();
        Ok(Ended { figures, code, report, failures, remarks })
    }

    fn charge(&self, machine: &Machine) -> Result<Charge, Failure> {
        let charged = charged(self.request.compute.as_deref(), self.workload())?;
        let speed = measured_on(self.request.host_speed.as_deref(), self.workload(), machine)?;
        Ok(Charge { charged, speed, words: describe_compute(charged, speed, machine) })
    }

    /// What is known from the start.
    fn known(&self, machine: &Machine, charge: &Charge) -> Figures {
        Figures {
            ranks_as: "replayed".to_owned(),
            compute: charge.words.clone(),
            warnings: machine.warnings.clone(),
            ..Figures::about(machine)
        }
    }

    fn figures(
        &self,
        engine: &Engine<NoMemory>,
        machine: &Machine,
        outcome: &Outcome,
        charge: &Charge,
        summary: &Summary,
    ) -> Figures {
        Figures {
            ranks_as: "replayed".to_owned(),
            ranks_as_because: self.request.workload.clone(),
            compute: charge.words.clone(),
            computation_ratio: charge.charged.bursts.then(|| machine.first_slowdown(charge.speed)),
            warnings: self.warnings(machine, charge.speed, summary),
            ..Figures::of(engine, machine, outcome, summary, self.started.elapsed())
        }
        .with_trust(machine, summary)
    }

    /// Doubts about the machine, and about computation that was measured elsewhere.
    fn warnings(&self, machine: &Machine, speed: f64, summary: &Summary) -> Vec<String> {
        let (request, workload) = (&self.request, self.workload());
        let mut warnings = machine.warnings.clone();
        warnings.extend(request.outputs.overlap_doubt(!workload.threads().is_empty()));
        if summary.measured_nanos == 0 || request.workload.starts_with("gen:") {
            return warnings;
        }
        let known = request.host_speed.is_some()
            || workload.computation().measured_on.is_some()
            || machine.reference_speed.is_some();
        if known {
            warnings.extend(machine.computation_doubt(speed));
        } else {
            warnings.push(
                "the trace does not say how fast the machine was on which computation was measured: the replay assumes the speed of the \
                 simulated machine; set it with --host-speed"
                    .to_owned(),
            );
        }
        warnings
    }

    fn repetition(&self, runs: u32) -> Repetition<'_> {
        let ReplayRequest { workload, machine, compute, host_speed, .. } = &self.request;
        let (compute, host_speed) = (compute.as_deref(), host_speed.as_deref());
        Repetition { runs, trace: workload, machine, compute, host_speed }
    }
}

/// Explains why the replay failed; gives the exit code too. Messages that are never received or never sent are errors of the trace.
fn explain(engine: &Engine<NoMemory>, workload: &dyn Workload, outcome: &Outcome) -> (Explained, u8) {
    let explained = Diagnosis::new(engine, TracePlaces(workload)).report(outcome, "trace");
    let code = match outcome {
        Outcome::Finished { .. } if engine.diagnosis().unreceived().is_empty() => 0,
        Outcome::Ended(Ending::Deadlock) if waiting_cycle(&engine.diagnosis().blocked()).is_some() => {
            failure::DEADLOCK
        }
        Outcome::Ended(Ending::BeyondTime) => failure::USAGE,
        Outcome::Ended(Ending::Unreachable { .. }) | Outcome::Ended(Ending::NetworkDeadlock { .. }) => {
            failure::UNREACHABLE
        }
        Outcome::Ended(Ending::Aborted { code, .. }) => (*code as u8).max(1),
        Outcome::Interrupted { signal } => 128 + *signal as u8,
        _ => failure::BAD_TRACE,
    };
    let code = explained.exit_code(code);
    (explained, code)
}

/// A replay of which only the time is wanted.
pub struct TimedReplay<'a> {
    /// The name of the trace in messages.
    pub name: &'a str,
    /// The computation that takes time: `traced` or `none`; by default as in the traced run.
    pub compute: Option<&'a str>,
    /// Speed of the machine on which it was measured; by default as the trace says.
    pub host_speed: Option<&'a str>,
    /// Stops the replay.
    pub interrupt: Interrupt,
}

impl TimedReplay<'_> {
    /// The simulated time until the last rank ends, in seconds.
    pub fn seconds(
        &self,
        workload: &mut dyn Workload,
        machine: &Machine,
        collectives: Choice,
        recorder: Box<dyn Recorder>,
    ) -> Result<f64, Failure> {
        let charged = charged(self.compute, workload)?;
        let speed = measured_on(self.host_speed, workload, machine)?;
        let simulation =
            Simulation::new(machine).computation(charged, speed).collectives(collectives).recorder(recorder);
        let replayed = simulation.replay(workload, &mut StopIf(|| self.interrupt.came()));
        self.interrupt.check()?;
        let replayed = replayed?;
        match &replayed.ending {
            Ending::Finished => Ok(replayed.seconds()),
            ending => Err(bad_trace(format!(
                "{name} does not finish ({ending:?}); `mpirage replay {name}` says why",
                name = self.name
            ))),
        }
    }
}
