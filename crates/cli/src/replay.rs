//! `mpirage replay`.

use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use mpirage_collectives::Choice;
use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory, Setup, waiting_cycle};
use mpirage_rank::Outcome;
use mpirage_record::{Recorder, Summary};
use mpirage_replay::{ReplayError, Watch};
use mpirage_report::Container;
use mpirage_trace::{Place, Workload};
use rustc_hash::FxHashMap;

use crate::arguments::ReplayArguments;
use crate::captures::Captures;
use crate::conflicts::Conflicts;
use crate::diagnosis::{Diagnosis, Explained, Places, SourcePlace};
use crate::exit::{self, Failure, bad_trace, usage};
use crate::host_speed;
use crate::interrupt::Interrupt;
use crate::limits::{self, RankKind};
use crate::machine::Machine;
use crate::progress::Progress;
use crate::recordings::{Recordings, Source};
use crate::repetition::{self, Repetition};
use crate::reporting::{self, Charged, Closing};
use crate::results::{Failures, Results};
use crate::summary::Figures;
use crate::trace::add_files;

/// Replays a trace or runs a generated workload.
pub fn command(arguments: &ReplayArguments) -> Result<u8, Failure> {
    let mut results = Results::open(&arguments.results)?;
    let Replayed { figures, code, report, mut failures } = replay(arguments)?;
    if let (Some(report), Some(file)) = (report, results.take_report()) {
        failures.note(reporting::embedded(&report).and_then(|run| reporting::write(file, &[run])));
    }
    failures.note(results.show(&figures, false));
    Ok(failures.exit_code(code))
}

/// The result of a replay.
pub struct Replayed {
    /// Its figures.
    pub figures: Figures,
    /// The exit code.
    pub code: u8,
    /// The data of its report, if the user asks for one.
    pub report: Option<Container>,
    /// Outputs that could not be written.
    pub failures: Failures,
}

/// Replays, and writes all files but the report.
pub fn replay(arguments: &ReplayArguments) -> Result<Replayed, Failure> {
    let started = Instant::now();
    let interrupt = Interrupt::watch()?;
    let mut workload = mpirage_trace::open(&arguments.workload).map_err(bad_trace)?;
    limits::check_ranks(&arguments.workload, workload.ranks().into(), RankKind::Replayed)?;
    files(arguments, workload.as_ref()).check()?;
    let mut machine = Machine::new(&arguments.machine, workload.ranks())?;
    machine.warnings.extend(repetition::doubt(arguments.repeat, &machine));
    machine.report_bindings(&arguments.machine);
    let charged = charged(arguments.compute.as_deref(), workload.as_ref())?;
    if !charged.bursts {
        machine.model.without_computation();
    }
    let speed = measured_on(arguments.host_speed.as_deref(), workload.as_ref(), &machine)?;
    let compute = describe_compute(charged, speed);
    let source = Source {
        name: &arguments.workload,
        speed,
        free: !charged.bursts,
        compute: &compute,
        lines: lines_of(workload.as_ref()),
    };
    let mut recordings = Recordings::create(&arguments.results, &source, &machine)?;
    let bursts = if charged.bursts { Bursts::Measured } else { Bursts::None };
    let (captures, requests) = Captures::open(&arguments.results, &machine)?;
    let mut setup = machine.captured_setup(requests, speed, bursts, recordings.recorder())?;
    if !charged.declared {
        setup.host_flops.fill(f64::INFINITY);
    }
    let mut engine = Engine::new(setup, NoMemory);
    let progress = Progress::new(machine.ranks(), arguments.results.quiet);
    let mut watch = Interruptible { progress, interrupt: interrupt.clone() };
    let ending = mpirage_replay::run(&mut engine, workload.as_mut(), &mut watch);
    watch.progress.finish();
    interrupt.check()?;
    let outcome = match ending {
        Ok(ending) => Outcome::of(ending, 0),
        Err(ReplayError::Trace(error)) => return Err(bad_trace(error)),
        Err(error) => return Err(usage(error)),
    };
    engine.close_records();
    let (Explained { text, waits, deadlock }, code) = explain(&engine, workload.as_ref(), &outcome);
    let figures = Figures {
        ranks_as: "replayed".to_owned(),
        ranks_as_because: arguments.workload.clone(),
        compute: compute.clone(),
        warnings: warnings(arguments, workload.as_ref(), &machine, speed, &recordings.summary()),
        explanation: text.clone(),
        deadlock,
        ..Figures::of(&engine, &machine, &outcome, &recordings.summary(), started.elapsed())
    };
    let mut failures = Failures::default();
    captures.finish(engine.finish_network(), &mut failures);
    if arguments.results.trace.is_empty() && arguments.results.report.is_none() {
        // The process ends soon. Freeing the memory of a large run piece by piece would take time.
        std::mem::forget(engine);
    } else {
        drop(engine);
    }
    recordings.finish(&mut failures);
    let mut figures = figures;
    if let Some(runs) = arguments.repeat.filter(|_| code == 0) {
        let (compute, host_speed) = (arguments.compute.as_deref(), arguments.host_speed.as_deref());
        let trace = &arguments.workload;
        let repetition = Repetition { runs, trace, machine: &arguments.machine, compute, host_speed };
        figures.repetition = Some(repetition.spread(figures.simulated_seconds, &machine, &interrupt)?);
        figures.wall_seconds = started.elapsed().as_secs_f64();
    }
    let figures = figures.with_usage();
    let (notes, outcome) = (reporting::notes(&machine), text.as_deref());
    let closing = Closing { figures: &figures, outcome, waits, notes, speed, charged };
    let report = failures.note(recordings.report(&machine, &closing)).flatten();
    Ok(Replayed { figures, code, report, failures })
}

/// A replay of which only the time is wanted.
pub struct Quiet<'a> {
    /// What messages call the trace.
    pub name: &'a str,
    /// Which computation takes time, as the user says.
    pub compute: Option<&'a str>,
    /// The speed of the machine on which it was measured, as the user says.
    pub host_speed: Option<&'a str>,
    /// Stops the replay.
    pub interrupt: &'a Interrupt,
}

impl Quiet<'_> {
    /// The simulated time until the last rank ends, in seconds.
    pub fn seconds(
        &self,
        mut workload: Box<dyn Workload>,
        machine: &Machine,
        collectives: Choice,
        recorder: Box<dyn Recorder>,
    ) -> Result<f64, Failure> {
        let charged = charged(self.compute, workload.as_ref())?;
        let speed = measured_on(self.host_speed, workload.as_ref(), machine)?;
        let bursts = if charged.bursts { Bursts::Measured } else { Bursts::None };
        let mut setup = Setup { collectives, ..machine.setup(speed, bursts, recorder) };
        if !charged.bursts {
            setup.protocol.reduce_seconds_per_byte = 0.0;
            setup.protocol.copy_seconds_per_byte = 0.0;
        }
        if !charged.declared {
            setup.host_flops.fill(f64::INFINITY);
        }
        let mut engine = Engine::new(setup, NoMemory);
        let ending = mpirage_replay::run(&mut engine, workload.as_mut(), &mut Silent(self.interrupt));
        self.interrupt.check()?;
        engine.close_records();
        match ending {
            Ok(Ending::Finished) => Ok(engine.ends().map(|end| end.as_secs_f64()).fold(0.0, f64::max)),
            Ok(ending) => Err(bad_trace(format!(
                "{name} does not finish ({ending:?}); `mpirage replay {name}` says why",
                name = self.name
            ))),
            Err(ReplayError::Trace(error)) => Err(bad_trace(error)),
            Err(error @ ReplayError::Stopped) => Err(usage(error)),
        }
    }
}

/// Stops when a signal asks for it.
struct Silent<'a>(&'a Interrupt);

impl Watch for Silent<'_> {
    fn progress(&mut self, _: f64, _: usize) -> bool {
        self.0.came()
    }
}

/// The files of a replay.
fn files(arguments: &ReplayArguments, workload: &dyn Workload) -> Conflicts {
    let mut files = Conflicts::default();
    files.input("the trace", Path::new(&arguments.workload));
    add_files(&mut files, workload);
    arguments.machine.add_inputs(&mut files);
    arguments.results.add_outputs(&mut files);
    files
}

/// Doubts about the machine, and about computation that was measured elsewhere.
fn warnings(
    arguments: &ReplayArguments,
    workload: &dyn Workload,
    machine: &Machine,
    speed: f64,
    summary: &Summary,
) -> Vec<String> {
    let mut warnings = machine.warnings.clone();
    warnings.extend(arguments.results.overlap_doubt(!workload.threads().is_empty()));
    if summary.measured_nanos == 0 || arguments.workload.starts_with("gen:") {
        return warnings;
    }
    let known = arguments.host_speed.is_some()
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

/// Which computation takes time: chosen by the user, or as in the traced run.
pub fn charged(typed: Option<&str>, workload: &dyn Workload) -> Result<Charged, Failure> {
    match typed {
        None => Ok(Charged { bursts: !workload.computation().free, declared: true }),
        Some("traced") => Ok(Charged { bursts: true, declared: true }),
        Some("none") => Ok(Charged { bursts: false, declared: false }),
        Some(other) => Err(usage(format!("--compute {other}: expected traced or none"))),
    }
}

/// Speed of the machine on which computation was measured. If it is unknown, the speed of the simulated host of rank 0.
pub fn measured_on(
    host_speed: Option<&str>,
    workload: &dyn Workload,
    machine: &Machine,
) -> Result<f64, Failure> {
    let given = host_speed::parse(host_speed)?;
    let first = || machine.placement.hosts.first().map_or(1.0, |&host| machine.platform.host(host).speed);
    Ok(given.or(workload.computation().measured_on).or(machine.reference_speed).unwrap_or_else(first))
}

fn describe_compute(charged: Charged, speed: f64) -> String {
    match charged {
        Charged { bursts: true, .. } => {
            format!("as traced, measured on a machine of {:.2} Gf/s", speed / 1e9)
        }
        Charged { declared: true, .. } => "takes no time, as in the traced run".to_owned(),
        Charged { .. } => "takes no time".to_owned(),
    }
}

/// Prints why the replay failed; gives the exit code too. Messages that are never received or never sent are errors of the trace.
fn explain(engine: &Engine<NoMemory>, workload: &dyn Workload, outcome: &Outcome) -> (Explained, u8) {
    let explained = Diagnosis::new(engine, TracePlaces(workload)).report(outcome, "trace");
    let code = match outcome {
        Outcome::Finished { .. } if engine.diagnosis().unreceived().is_empty() => 0,
        Outcome::Deadlock if waiting_cycle(&engine.diagnosis().blocked()).is_some() => exit::DEADLOCK,
        Outcome::BeyondTime => exit::USAGE,
        Outcome::Unreachable { .. } | Outcome::NetworkDeadlock { .. } => exit::UNREACHABLE,
        Outcome::Aborted { code, .. } => (*code as u8).max(1),
        _ => exit::BAD_TRACE,
    };
    (explained, code)
}

/// Source lines stored in the trace.
struct TracedLines(FxHashMap<u64, String>);

/// The source lines that a trace has stored.
pub fn lines_of(workload: &dyn Workload) -> Option<Rc<dyn Sites>> {
    let sources: FxHashMap<u64, String> = workload.sources().into_iter().collect();
    (!sources.is_empty()).then(|| Rc::new(TracedLines(sources)) as Rc<dyn Sites>)
}

impl Sites for TracedLines {
    fn name(&self, key: u64) -> Option<String> {
        self.0.get(&key).cloned()
    }
}

/// Places in the trace: lines or offsets.
struct TracePlaces<'a>(&'a dyn Workload);

impl Places for TracePlaces<'_> {
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace> {
        trace_place(self.0, rank, site)
    }
}

/// The place of a call in a trace.
pub fn trace_place(trace: &dyn Workload, rank: u32, site: u64) -> Option<SourcePlace> {
    let (file, place) = trace.place(rank, site)?;
    let line = if let Place::Line(line) = place { Some(line) } else { None };
    let text = format!("{}{place}", file.display());
    Some(SourcePlace { text, file: Some(file.display().to_string()), line, function: None })
}

/// Shows progress, and stops when a signal asks for it.
struct Interruptible {
    progress: Progress,
    interrupt: Interrupt,
}

impl Watch for Interruptible {
    fn progress(&mut self, simulated: f64, ended: usize) -> bool {
        mpirage_rank::Watch::progress(&mut self.progress, simulated, ended);
        self.interrupt.came()
    }
}
