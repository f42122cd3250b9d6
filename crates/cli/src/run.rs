//! `mpirage run`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::num::NonZero;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::{CommandFactory, FromArgMatches};
use mpirage_call::RankId;
use mpirage_check::Checker;
use mpirage_files::OutputFile;
use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine};
use mpirage_packet::CaptureRequest;
use mpirage_rank::{Outcome, Ranks};
use mpirage_record::{Recorder, Summary};
use mpirage_simulation::{
    BalancingFigures, Captures, Charged, Competition, DisturbedFigures, Execution, Explained, Failures,
    Figures, Interrupt, JobShape, Measurement, PathRecorder, ProgramJob, ProgramRun, Ran, RankOptions,
    Recordings, Source, SourceLines, Traces, costs, exit_code, plan_migration, repetition::Repetition,
    repetition::TemporaryTrace, reporting, reporting::Closing,
};
use mpirage_units::Time;
use nix::sys::resource::{Resource, getrlimit};

use crate::arguments::RunArguments;
use crate::check::{self, CheckRun};
use crate::conflicts::Conflicts;
use crate::exit::{self, Failure};
use crate::help;
use crate::launcher;
use crate::output::{self, say};
use crate::plan::{Compute, Mode, Plan};
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::repeat::Measured;
use crate::results::{self, Results};
use crate::session_watch::{LinesOfPrograms, SessionWatch};
use mpirage_programs::install::{self, Install};

/// Parses the arguments of `run` and runs the program.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let mut jobs = Vec::new();
    for words in launcher::translate(typed, &RunArguments::command()) {
        match parse(&words) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return help::answer(&error, RunArguments::command(), typed),
        }
    }
    let plan = Plan::new(jobs, typed, Mode::Simulated)?;
    plan.run()
}

/// Parses the arguments of one program.
pub fn parse(words: &[OsString]) -> Result<RunArguments, clap::Error> {
    // `mpirun --version` names the product, as other launchers do.
    // The definition is never taken apart: that takes longer than parsing.
    let mut definition = ManuallyDrop::new(help::with_all(RunArguments::command()).display_name("mpirage"));
    RunArguments::from_arg_matches(&definition.try_get_matches_from_mut(words)?)
}

impl Plan {
    /// The name of the program's file.
    fn name(&self) -> String {
        let file = self.programs.first().and_then(|program| program.path.file_name());
        file.map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Runs the program; gives the exit code.
    pub fn run(mut self) -> Result<u8, Failure> {
        let (started, competition) = (Instant::now(), Competition::watch());
        self.files().check()?;
        self.arguments.machine.show_bindings(&self.machine);
        let interrupt = Interrupt::watch()?;
        let repeated = match self.arguments.repeat {
            Some(runs) => Some((runs, TemporaryTrace::add_to(&mut self.outputs)?)),
            None => None,
        };
        let mut results = Results::open(&self.arguments.results)?;
        let new_costs = self.open_costs()?;
        let bursts = self.bursts();
        let lines = Rc::new(
            SourceLines::of_programs(self.has_several_programs())
                .telling_paths_apart(self.arguments.call_paths.are_apart()),
        );
        let source = Source {
            name: &self.name(),
            speed: self.host_speed,
            free: self.compute == Compute::None,
            compute: &self.describe_compute(),
            lines: Some(Rc::clone(&lines) as Rc<dyn Sites>),
        };
        let mut recordings = Recordings::create(&self.outputs, &source, &self.machine)?;
        let (captures, requests) = Captures::open(&self.outputs, &self.machine)?;
        let (recorder, checker) = self.recorder(&recordings, &lines);
        let programs: LinesOfPrograms = vec![(0..u32::MAX, Rc::clone(&lines))];
        let mut watch = SessionWatch {
            progress: Progress::new(self.programs.len(), self.arguments.results.quiet),
            lines: programs.clone(),
            output: ProgramOutput::new(self.arguments.tag_output)
                .elsewhere(self.arguments.results.json.is_alone()),
        };
        interrupt.check()?;
        let mut emulation = self.emulation.take();
        let pacer = emulation.as_mut().map(|emulation| &mut emulation.pacer);
        let ran = self.program_run(bursts, recorder, requests)?.run(&mut watch, pacer);
        self.emulation = emulation;
        let SessionWatch { progress, mut output, .. } = watch;
        let passed_on = output::written(output.finish());
        progress.finish();
        let mut ran = ran?;
        let outcome = ran.outcomes.remove(0);
        if let (Some(run), Some(checker)) = (&self.check, &checker) {
            check::save(run, &mut ran.diagnosis(&programs), &outcome, &checker.borrow())?;
        }
        if let (Some(_), Outcome::Interrupted { signal }) = (&self.check, &outcome) {
            return Err(Failure {
                code: exit_code(&outcome),
                error: anyhow!("interrupted by signal {signal}"),
            });
        }
        let explained = self.explain(&mut ran, &outcome, &programs);
        let code = explained.exit_code(exit_code(&outcome));
        let mut engine = ran.engine;
        let summary = recordings.summary().clone();
        let figures = self.figures(&engine, &outcome, &summary, started.elapsed());
        let figures = self.with_disturbances(figures, &engine);
        let measurement = self.measurement(&engine, &competition);
        let figures = Figures { measurement, ..figures };
        let figures = match self.emulation {
            Some(_) => figures,
            None => figures.with_trust(&self.machine, &summary),
        };
        let figures =
            Figures { explanation: explained.text.clone(), deadlock: explained.deadlock.clone(), ..figures };
        let mut failures = Failures::default();
        failures.note(passed_on);
        if !matches!(outcome, Outcome::Interrupted { .. }) {
            failures.note(self.save_costs(&engine, new_costs));
        }
        captures.finish(engine.finish_network(), &mut failures);
        // Dropping the engine ends the ranks, after which their use of memory and processor is known.
        drop(engine);
        recordings.finish(&mut failures).iter().for_each(|remark| say!("mpirage: {remark}"));
        let mut figures = figures;
        if let Some((runs, trace)) = repeated.filter(|_| code == 0) {
            let trace = trace.file.to_string_lossy();
            let machine = &self.arguments.machine.request();
            let repetition = Repetition { runs, trace: &trace, machine, compute: None, host_speed: None };
            let spread = repetition.spread(figures.simulated_seconds, &self.machine, interrupt)?;
            (figures.repetition, figures.wall_seconds) = (Some(spread), started.elapsed().as_secs_f64());
        }
        let mut figures = figures.with_usage();
        if let Some(emulation) = &self.emulation {
            figures.warnings.extend(emulation.doubts(figures.ranks, figures.simulated_seconds));
            figures.emulation = Some(emulation.figures());
        }
        let behind = self
            .emulation
            .as_ref()
            .is_some_and(|emulation| emulation.search_ends_behind(figures.simulated_seconds));
        let code = if code == 0 && behind { exit::BEHIND } else { code };
        figures.warnings.extend(self.left_out_doubt(&figures));
        failures.note(self.report(&recordings, &figures, explained, results.take_report()));
        results::report(&failures);
        let shown = results.show(&figures, output.ends_within_line());
        Ok(results::conclude(failures, shown, code))
    }

    fn report(
        &self,
        recordings: &Recordings,
        figures: &Figures,
        explained: Explained,
        file: Option<OutputFile>,
    ) -> Result<(), Failure> {
        let mut notes = reporting::notes(&self.machine);
        if let Some(spread) = self.host_speed_spread {
            notes.push(format!(
                "the speed of this machine, {:.2} Gf/s, was measured within {:.1} %; --host-speed measure measures it again",
                self.host_speed / 1e9,
                100.0 * spread
            ));
        }
        let speed = self.host_speed;
        let charged = Charged { bursts: self.compute != Compute::None, declared: true };
        let (outcome, waits) = (explained.text.as_deref(), explained.waits);
        let closing = Closing { figures, outcome, waits, notes, speed, charged };
        match (recordings.report(&self.machine, &closing)?, file) {
            (Some(run), Some(file)) => reporting::write(file, &reporting::embedded(&run)?),
            _ => Ok(()),
        }
    }

    /// The recorder for the engine; with it the checker, if the run is checked.
    fn recorder(
        &self,
        recordings: &Recordings,
        lines: &Rc<SourceLines>,
    ) -> (Box<dyn Recorder>, Option<Rc<RefCell<Checker>>>) {
        let mut recorder = recordings.recorder();
        if self.callers() > 0 {
            // Paths come first: the others ask what their sites mean.
            recorder = Box::new((PathRecorder(Rc::clone(lines)), recorder));
        }
        if self.check.is_none() {
            return (recorder, None);
        }
        let limit = self.machine.model.protocol.unanswered_limit();
        let checker = Rc::new(RefCell::new(Checker::new(self.programs.len() as u32, limit)));
        (Box::new((Rc::clone(&checker), recorder)), Some(checker))
    }

    /// Callers of each call that are recorded. Recorded costs are those of as many calls: paths would be more.
    fn callers(&self) -> u32 {
        let is_new = matches!(self.compute, Compute::Measured | Compute::None);
        self.arguments.call_paths.callers(is_new && self.arguments.results.report.is_some())
    }

    fn program_run(
        &self,
        bursts: Bursts,
        recorder: Box<dyn Recorder>,
        captures: Vec<CaptureRequest>,
    ) -> Result<ProgramRun<'_>, Failure> {
        let (wanted, seed) = (self.arguments.migration.request(), self.arguments.machine.seed);
        let size = self.programs.len() as u32;
        let shape = JobShape { size, start: Time::ZERO, speed: Some(self.host_speed) };
        let folded = match self.rank_mode.folded {
            true => Some(Install::locate()?.library.join(install::LIBRARY)),
            false => None,
        };
        Ok(ProgramRun {
            machine: &self.machine,
            jobs: vec![ProgramJob { programs: self.programs.clone(), shape }],
            traces: Traces::default(),
            bursts,
            speed: self.host_speed,
            recorder,
            captures,
            balancing: plan_migration(&wanted, &self.machine, self.host_speed, seed)?,
            choices: self.check.as_ref().map(CheckRun::choices).unwrap_or_default(),
            options: RankOptions {
                simulated_clock: self.simulated_clock,
                posix_io: self.posix_io,
                share_malloc: self.share_malloc,
                checked: self.check.is_some(),
                call_paths: self.callers(),
            },
            execution: Execution {
                folded,
                data_plane: self.data_plane,
                rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
                cores: self.arguments.cores.map(NonZero::get),
                run_ahead: self.run_ahead,
            },
        })
    }

    fn bursts(&mut self) -> Bursts {
        let ranks = self.programs.len();
        match (&self.compute, self.recording.take()) {
            (Compute::None, _) => Bursts::None,
            (Compute::Measured, _) => Bursts::Measured,
            (Compute::Recorded(_) | Compute::Repeat(_), Some(recording)) => {
                Bursts::Recorded(recording.costs, vec![0; ranks])
            }
            (Compute::Recorded(_) | Compute::Repeat(_), None) => {
                Bursts::Recording(Costs { by_rank: vec![Vec::new(); ranks] })
            }
        }
    }

    /// Opens the file for the costs that this run records.
    fn open_costs(&self) -> Result<Option<OutputFile>, Failure> {
        match &self.compute {
            Compute::Recorded(file) if self.recording.is_none() => Ok(Some(results::open(file)?)),
            _ => Ok(None),
        }
    }

    fn save_costs(&self, engine: &Engine<Ranks>, file: Option<OutputFile>) -> Result<(), Failure> {
        if let (Some(file), Bursts::Recording(recorded)) = (file, engine.bursts()) {
            costs::write(file, self.host_speed, recorded)?;
        }
        Ok(())
    }

    /// The files that the run reads and writes.
    fn files(&self) -> Conflicts {
        let mut files = Conflicts::default();
        let mut programs: Vec<&Path> = self.programs.iter().map(|program| program.path.as_path()).collect();
        programs.dedup();
        programs.iter().for_each(|program| files.input("the program", program));
        self.arguments.machine.add_inputs(&mut files);
        match &self.compute {
            Compute::Recorded(file) if self.recording.is_none() => files.output("--compute recorded:", file),
            Compute::Recorded(file) => files.input("the recorded costs", file),
            Compute::Measured | Compute::None | Compute::Repeat(_) => {}
        }
        self.arguments.results.add_outputs(&mut files);
        files
    }

    /// Prints why the run failed, and warnings about leaks.
    fn explain(&mut self, ran: &mut Ran, outcome: &Outcome, programs: &LinesOfPrograms) -> Explained {
        let engine = &mut ran.engine;
        // A program that fails before it calls MPI_Init may well be an MPI program.
        let succeeded = matches!(outcome, Outcome::Finished { code: 0 });
        if engine.memory().fell_back_to_mailboxes() {
            self.warnings.push(
                "the kernel forbids copies between processes: data took the slower way through mailboxes"
                    .to_owned(),
            );
        }
        self.warnings.extend(self.outputs.overlap_doubt(engine.diagnosis().has_threads()));
        if succeeded && let Some(warning) = self.is_no_mpi_program(engine) {
            self.warnings.push(warning);
        }
        self.warnings.extend(engine.memory_ref().out_of_files().map(too_many_files));
        let explained = ran.diagnosis(programs).report(outcome, "run");
        explained.text.iter().chain(&explained.leftovers).for_each(|line| say!("mpirage: {line}"));
        explained
    }

    fn has_several_programs(&self) -> bool {
        self.programs.windows(2).any(|pair| pair[0].path != pair[1].path)
    }

    /// A warning if no rank called `MPI_Init`.
    fn is_no_mpi_program(&self, engine: &Engine<Ranks>) -> Option<String> {
        let mut ranks = 0..self.programs.len() as u32;
        if ranks.any(|rank| engine.lifecycle(RankId::new(rank)).0) {
            return None;
        }
        let name = self.name();
        if let Some(interface) = self.programs.first().and_then(|program| program.linked_interface()) {
            return Some(format!(
                "no rank of {name} called MPI_Init or MPI_Session_init: it is built for {}, but did not use MPI in this run",
                interface.owner()
            ));
        }
        let other = engine.memory_ref().other_mpi().map(|library| {
            format!(
                "; it loaded {library}, which belongs to another MPI: build what uses it with mpirage's mpicc"
            )
        });
        Some(format!(
            "{name} is not an MPI program (no rank called MPI_Init or MPI_Session_init){}",
            other.unwrap_or_else(|| "; was it built with mpirage's mpicc?".to_owned())
        ))
    }

    fn figures(
        &self,
        engine: &Engine<Ranks>,
        outcome: &Outcome,
        summary: &Summary,
        wall: Duration,
    ) -> Figures {
        let tally = engine.counts().tally;
        Figures {
            samples_executed: tally.executed,
            samples_skipped: tally.skipped,
            shared_bytes: tally.shared,
            shared_resident_bytes: engine.memory_ref().shared_resident_bytes(),
            ranks_as: self.rank_mode.name().to_owned(),
            ranks_as_because: self.rank_mode.reason.clone(),
            cores_here: self.cores_here,
            compute: self.describe_compute(),
            host_speed_flops: (self.compute != Compute::None).then_some(self.host_speed),
            host_speed_spread: self.host_speed_spread,
            computation_ratio: (self.compute != Compute::None)
                .then(|| self.machine.first_slowdown(self.host_speed)),
            warnings: self.warnings.clone(),
            balancing: engine
                .migration_history()
                .map(|history| BalancingFigures::of(&self.arguments.migration.request(), &history)),
            ..Figures::of(engine, &self.machine, outcome, summary, wall)
        }
    }

    /// How computation was measured.
    fn measurement(&self, engine: &Engine<Ranks>, competition: &Competition) -> Measurement {
        match (engine.bursts(), &self.repeated) {
            (_, Some(measured)) => Measurement::Repeated(measured.spread()),
            (Bursts::None | Bursts::Recorded(..), _) => Measurement::Earlier,
            _ if competition.was_felt(!self.rank_mode.folded) => Measurement::Beside,
            _ => Measurement::Alone,
        }
    }

    /// Adds bursts that took longer than usual. If they matter, their warning comes first.
    fn with_disturbances(&self, mut figures: Figures, engine: &Engine<Ranks>) -> Figures {
        let ratio = self.machine.first_slowdown(self.host_speed);
        let disturbed = engine.memory_ref().disturbed();
        figures.disturbed = DisturbedFigures::of(disturbed, ratio, figures.simulated_seconds);
        figures.warnings.splice(..0, figures.disturbed.and_then(|disturbed| disturbed.doubt()));
        figures
    }

    /// A warning if `--compute none` left out much computation. Processor times vary, so only clear cases count.
    fn left_out_doubt(&self, figures: &Figures) -> Option<String> {
        let each = figures.cpu_seconds / figures.ranks.max(1) as f64;
        let per_call = figures.cpu_seconds / figures.calls.max(1) as f64;
        let computes = each > 1.0_f64.max(figures.simulated_seconds) && per_call > 1e-4;
        (self.compute == Compute::None && computes).then(|| {
            "computation took no time (--compute none), but the ranks computed for longer than the simulated time: the result covers \
             communication only; use --compute measured to include computation"
                .to_owned()
        })
    }

    fn describe_compute(&self) -> String {
        let ratio = self.machine.describe_ratio(self.host_speed, "this core");
        let speed = format!("on this machine, {:.2} Gf/s; {ratio}", self.host_speed / 1e9);
        match &self.compute {
            Compute::None => "takes no time".to_owned(),
            _ if self.emulation.is_some() => match self.arguments.host_speed {
                Some(_) => format!("in real time {speed}"),
                None => "in real time: hosts are as fast as this machine".to_owned(),
            },
            Compute::Measured => format!("measured {speed}"),
            Compute::Recorded(file) => format!("recorded in {}, {speed}", file.display()),
            Compute::Repeat(_) => {
                let repeated = self.repeated.as_ref().map(Measured::describe).unwrap_or_default();
                format!("{repeated} {speed}")
            }
        }
    }
}

/// A warning about files that a folded rank could not open.
fn too_many_files(rank: RankId) -> String {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(now, _)| now);
    format!(
        "rank {rank} could not open a file (EMFILE): folded ranks share this process's limit of {limit} open files; --ranks-as \
         processes gives each rank a limit of its own, `ulimit -Hn` raises the one they share"
    )
}
