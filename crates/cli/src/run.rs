//! `mpirage run`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::{CommandFactory, FromArgMatches};
use mpirage_call::RankId;
use mpirage_channel::{Briefing, Disturbed};
use mpirage_check::Checker;
use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine, Setup};
use mpirage_outfile::OutputFile;
use mpirage_packet::CaptureRequest;
use mpirage_rank::{Folded, Outcome, Processes, Ranks, Session, SessionError};
use mpirage_record::{Recorder, Summary};
use nix::sys::resource::{Resource, getrlimit};

use crate::arguments::RunArguments;
use crate::balancing::BalancingFigures;
use crate::captures::Captures;
use crate::check::{self, CheckRun};
use crate::conflicts::Conflicts;
use crate::diagnosis::{Diagnosis, Explained, Places, SourcePlace};
use crate::exit::{self, Failure, usage};
use crate::install::{self, Install};
use crate::interrupt::Interrupt;
use crate::machine::Machine;
use crate::plan::{Compute, Mode, Plan};
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::recordings::{Recordings, Source};
use crate::repeat::Measured;
use crate::repetition::{Repetition, TemporaryTrace};
use crate::reporting::{self, Charged, Closing};
use crate::results::{self, Failures, Results};
use crate::source_lines::{PathRecorder, ProgramSymbols, SessionWatch, SourceLines};
use crate::summary::Figures;
use crate::{balancing, briefing, costs, launcher, output, words};

/// Parses the arguments of `run` and runs the program.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let mut jobs = Vec::new();
    for words in launcher::translate(typed, &RunArguments::command()) {
        match parse(&words) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return exit::from_clap(&error),
        }
    }
    let plan = Plan::new(jobs, typed, Mode::Simulated)?;
    plan.run()
}

/// Parses the arguments of one program.
pub fn parse(words: &[OsString]) -> Result<RunArguments, clap::Error> {
    // `mpirun --version` names the product, as other launchers do.
    let command = RunArguments::command().display_name("mpirage");
    RunArguments::from_arg_matches(&command.try_get_matches_from(words)?)
}

impl Plan {
    /// The name of the program's file.
    fn name(&self) -> String {
        let file = self.programs.first().and_then(|program| program.path.file_name());
        file.map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Runs the program; gives the exit code.
    pub fn run(mut self) -> Result<u8, Failure> {
        let started = Instant::now();
        self.files().check()?;
        self.machine.report_bindings(&self.arguments.machine);
        let interrupt = Interrupt::watch()?;
        let repeated = match self.arguments.repeat {
            Some(runs) => Some((runs, TemporaryTrace::add_to(&mut self.arguments.results)?)),
            None => None,
        };
        let mut results = Results::open(&self.arguments.results)?;
        let new_costs = self.open_costs()?;
        let bursts = self.bursts();
        let lines = Rc::new(SourceLines::of_programs(self.has_several_programs()));
        let source = Source {
            name: &self.name(),
            speed: self.host_speed,
            free: self.compute == Compute::None,
            compute: &self.describe_compute(),
            lines: Some(Rc::clone(&lines) as Rc<dyn Sites>),
        };
        let mut recordings = Recordings::create(&self.arguments.results, &source, &self.machine)?;
        let (captures, requests) = Captures::open(&self.arguments.results, &self.machine)?;
        let (recorder, checker) = self.recorder(&recordings, &lines);
        let mut engine = self.engine(bursts, recorder, requests)?;
        let session = self.session();
        let mut progress = Progress::new(self.programs.len(), self.arguments.results.quiet);
        let output = ProgramOutput::new(self.arguments.tag_output);
        let mut watch = SessionWatch { progress: &mut progress, lines: Rc::clone(&lines), output };
        interrupt.check()?;
        let outcome = match &mut self.emulation {
            Some(emulation) => session.emulate(&mut engine, &mut watch, &mut emulation.pacer),
            None => session.run(&mut engine, &mut watch),
        };
        let mut output = watch.output;
        let passed_on = output::written(output.finish());
        progress.finish();
        let outcome = match outcome {
            Ok(outcome) => outcome,
            // The reader of our output has closed the pipe.
            Err(SessionError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(exit::BROKEN_PIPE);
            }
            Err(error) => return Err(session_failure(error)),
        };
        engine.close_records();
        if let (Some(run), Some(checker)) = (&self.check, &checker) {
            save_findings(run, &mut engine, &outcome, &checker.borrow(), &lines)?;
        }
        let explained = self.explain(&mut engine, &outcome, &lines);
        let figures = self.figures(&engine, &outcome, &recordings.summary(), started.elapsed());
        let figures =
            Figures { explanation: explained.text.clone(), deadlock: explained.deadlock.clone(), ..figures };
        let mut failures = Failures::default();
        failures.note(passed_on);
        failures.note(self.save_costs(&engine, new_costs));
        captures.finish(engine.finish_network(), &mut failures);
        // Dropping the engine ends the ranks, after which their use of memory and processor is known.
        drop(engine);
        recordings.finish(&mut failures);
        let mut figures = figures;
        if let Some((runs, trace)) = repeated.filter(|_| exit_code(&outcome) == 0) {
            let trace = trace.file.to_string_lossy();
            let machine = &self.arguments.machine;
            let repetition = Repetition { runs, trace: &trace, machine, compute: None, host_speed: None };
            let spread = repetition.spread(figures.simulated_seconds, &self.machine, &interrupt)?;
            (figures.repetition, figures.wall_seconds) = (Some(spread), started.elapsed().as_secs_f64());
        }
        let mut figures = figures.with_usage();
        if let Some(emulation) = &self.emulation {
            figures.warnings.extend(emulation.doubts(figures.ranks, figures.simulated_seconds));
            figures.emulation = Some(emulation.figures());
        }
        figures.warnings.extend(self.left_out_doubt(&figures));
        failures.note(self.report(&recordings, &figures, explained, results.take_report()));
        failures.note(results.show(&figures, output.ends_within_line()));
        Ok(failures.exit_code(exit_code(&outcome)))
    }

    fn report(
        &self,
        recordings: &Recordings,
        figures: &Figures,
        explained: Explained,
        file: Option<OutputFile>,
    ) -> Result<(), Failure> {
        let mut notes = reporting::notes(&self.machine);
        if self.compute == Compute::Measured
            && self.arguments.host_speed.is_none()
            && self.emulation.is_none()
        {
            notes.push(format!(
                "the speed of this machine, {:.2} Gf/s, is a quick estimate; set it with --host-speed",
                self.host_speed / 1e9
            ));
        }
        let speed = self.host_speed;
        let charged = Charged { bursts: self.compute != Compute::None, declared: true };
        let (outcome, waits) = (explained.text.as_deref(), explained.waits);
        let closing = Closing { figures, outcome, waits, notes, speed, charged };
        match (recordings.report(&self.machine, &closing)?, file) {
            (Some(run), Some(file)) => reporting::write(file, &[reporting::embedded(&run)?]),
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
        if self.arguments.call_paths > 0 {
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

    fn engine(
        &self,
        bursts: Bursts,
        recorder: Box<dyn Recorder>,
        captures: Vec<CaptureRequest>,
    ) -> Result<Engine<Ranks>, Failure> {
        let ranks = self.programs.len();
        let briefing = Briefing {
            simulated_clock: self.simulated_clock,
            share_malloc: self.share_malloc,
            posix_io: self.posix_io,
            checked: self.check.is_some(),
            call_paths: self.arguments.call_paths,
            ..briefing::of(&self.machine, ranks as u32, &bursts, self.host_speed)
        };
        let briefing = if self.emulation.is_some() { briefing::in_real_time(briefing) } else { briefing };
        let memory = self.ranks(&briefing)?;
        let setup = self.machine.captured_setup(captures, self.host_speed, bursts, recorder)?;
        let mut engine = Engine::new(Setup { jobs: vec![ranks as u32], ..setup }, memory);
        let (wanted, seed) = (&self.arguments.migration, self.arguments.machine.seed);
        if let Some(plan) = balancing::plan(wanted, &self.machine, self.host_speed, seed)? {
            let refused = |error| usage(format!("--model {}: {error}", self.machine.model.name));
            engine.balance(plan).map_err(refused)?;
        }
        if let Some(run) = self.check.as_ref().filter(|run| !run.settings.choices.is_empty()) {
            engine.choose_matches(&run.choices());
        }
        Ok(engine)
    }

    fn ranks(&self, briefing: &Briefing) -> Result<Ranks, Failure> {
        let ranks = self.machine.ranks();
        if self.rank_mode.folded {
            let library = Install::locate()?.library.join(install::LIBRARY);
            let limit = self.arguments.rank_timeout.map(Duration::from_secs_f64);
            let folded = Folded::new(ranks, briefing, &library, &self.programs, limit);
            return Ok(Ranks::Folded(Box::new(folded.context("cannot fold the ranks")?)));
        }
        let processes = Processes::new(ranks, briefing, self.data_plane);
        Ok(Ranks::Processes(Box::new(processes.context("cannot make the mailboxes")?)))
    }

    fn session(&self) -> Session {
        let Machine { placement, platform, .. } = &self.machine;
        let hosts = placement.hosts.iter().zip(placement.local_ranks());
        Session {
            programs: self.programs.clone(),
            jobs: Vec::new(),
            hosts: hosts
                .map(|(&host, (local, locals))| (platform.host(host).name(), local, locals))
                .collect(),
            rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
            cores: self.arguments.cores.map(NonZero::get),
            run_ahead: self.run_ahead,
        }
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
    fn explain(
        &mut self,
        engine: &mut Engine<Ranks>,
        outcome: &Outcome,
        lines: &Rc<SourceLines>,
    ) -> Explained {
        // A program that fails before it calls MPI_Init may well be an MPI program.
        let succeeded = matches!(outcome, Outcome::Finished { code: 0 });
        if engine.memory().fell_back_to_mailboxes() {
            self.warnings.push(
                "the kernel forbids copies between processes: data took the slower way through mailboxes"
                    .to_owned(),
            );
        }
        self.warnings.extend(self.arguments.results.overlap_doubt(engine.diagnosis().has_threads()));
        if succeeded && let Some(warning) = self.is_no_mpi_program(engine) {
            self.warnings.push(warning);
        }
        self.warnings.extend(disturbance(engine.memory_ref().disturbances()));
        self.warnings.extend(engine.memory_ref().out_of_files().map(too_many_files));
        let symbols = ProgramSymbols::of(engine.memory());
        let program = Program { ranks: engine.memory_ref(), symbols, lines: Rc::clone(lines) };
        let mut diagnosis = Diagnosis::new(engine, program);
        diagnosis.report(outcome, "run")
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
            warnings: self.warnings.clone(),
            balancing: engine
                .migration_history()
                .map(|history| BalancingFigures::of(&self.arguments.migration, &history)),
            ..Figures::of(engine, &self.machine, outcome, summary, wall)
        }
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
        let speed = format!("on this machine, {:.2} Gf/s", self.host_speed / 1e9);
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

/// Writes what a checked run found.
fn save_findings(
    run: &CheckRun,
    engine: &mut Engine<Ranks>,
    outcome: &Outcome,
    checker: &Checker,
    lines: &Rc<SourceLines>,
) -> Result<(), Failure> {
    let symbols = ProgramSymbols::of(engine.memory());
    let program = Program { ranks: engine.memory_ref(), symbols, lines: Rc::clone(lines) };
    let mut diagnosis = Diagnosis::new(engine, program);
    check::save(run, &mut diagnosis, outcome, checker)
}

/// Source lines of the program.
pub struct Program<'a> {
    /// All ranks.
    pub ranks: &'a Ranks,
    /// What addresses mean.
    pub symbols: ProgramSymbols,
    /// What sites mean that stand for paths.
    pub lines: Rc<SourceLines>,
}

impl Places for Program<'_> {
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace> {
        let site = self.symbols.of_rank(rank)?.site(self.lines.innermost(site));
        let text = site.to_string();
        let (file, line) = site.line.map(|(file, line)| (file, u64::from(line))).unzip();
        Some(SourcePlace { text, file, line, function: site.function })
    }

    fn death(&mut self, rank: u32) -> Option<String> {
        let symbols = self.symbols.of_rank(rank)?;
        Some(self.ranks.place_of_death(RankId::new(rank), symbols)?.to_string())
    }
}

/// A warning about bursts that took far longer than others before the same call.
fn disturbance(disturbed: Disturbed) -> Option<String> {
    let Disturbed { bursts, nanos } = disturbed;
    (bursts > 0).then(|| {
        format!(
            "{} took over four times as long as usual before the same call, {:.3} s in total: this machine was busy, or the program \
             computes unevenly; --compute repeat:5 takes medians of five runs",
            words::count(bursts, "burst"),
            nanos as f64 * 1e-9
        )
    })
}

/// A warning about files that a folded rank could not open.
fn too_many_files(rank: RankId) -> String {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(now, _)| now);
    format!(
        "rank {rank} could not open a file (EMFILE): folded ranks share this process's limit of {limit} open files; --ranks-as \
         processes gives each rank a limit of its own, `ulimit -Hn` raises the one they share"
    )
}

/// A session that could not start, or was stopped.
pub fn session_failure(error: SessionError) -> Failure {
    let code = match &error {
        SessionError::Interrupted(signal) => 128 + *signal as u8,
        SessionError::Replayed(_) => exit::BAD_TRACE,
        _ => exit::USAGE,
    };
    Failure { code, error: anyhow!(error) }
}

/// The program's exit code, or ours if the program did not exit by itself.
pub fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Finished { code } => *code as u8,
        Outcome::Deadlock => exit::DEADLOCK,
        Outcome::BeyondTime => exit::USAGE,
        Outcome::Unreachable { .. } | Outcome::NetworkDeadlock { .. } => exit::UNREACHABLE,
        Outcome::Misuse { .. } | Outcome::RankHangs { .. } => exit::MISUSE,
        Outcome::Aborted { code, .. } => nonzero(*code as u8, 1),
        Outcome::RankDied { death, .. } => nonzero(death.code() as u8, exit::MISUSE),
    }
}

fn nonzero(code: u8, otherwise: u8) -> u8 {
    if code == 0 { otherwise } else { code }
}
