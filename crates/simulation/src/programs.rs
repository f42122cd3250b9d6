//! A run of programs, and of traces beside them: the one path of `mpirage run`, `check`, `emulate` and `jobs`.

use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use mpirage_call::RankId;
use mpirage_channel::Briefing;
use mpirage_mpi::{Balancing, Bursts, Ending, Engine, MatchChoice};
use mpirage_packet::CaptureRequest;
use mpirage_rank::{
    DataPlane, Folded, LostWorker, Outcome, Pacer, Processes, Program, Ranks, RunAhead, Session,
    SessionError, SoFar, Symbols, Watch, WorkerCount, Workers,
};
use mpirage_record::Recorder;

use crate::briefing;
use crate::diagnosis::{Diagnosis, Places, SourcePlace};
use crate::failure::{self, Failure};
use crate::machine::Machine;
use crate::simulation::{Charged, JobShape, Simulation};
use crate::source_lines::{ProgramSymbols, SourceLines};
use crate::traces::Traces;
use crate::workload::trace_place;

/// A job of programs.
pub struct ProgramJob {
    /// The program of each rank.
    pub programs: Vec<Arc<Program>>,
    /// Its part of the simulation.
    pub shape: JobShape,
}

/// How ranks that are programs are executed here.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The MPI library with which all ranks are folded into this process; none: each rank is a process.
    pub folded: Option<PathBuf>,
    /// How many processes hold folded ranks.
    pub workers: WorkerCount,
    /// How bytes move between processes.
    pub data_plane: DataPlane,
    /// The longest a rank may go without calling MPI.
    pub rank_timeout: Option<Duration>,
    /// How many cores of this machine to use at most.
    pub cores: Option<usize>,
    /// When ranks run ahead of simulated time.
    pub run_ahead: RunAhead,
}

/// Options that the simulator sends to ranks of programs before they start.
#[derive(Clone, Copy, Debug)]
pub struct RankOptions {
    /// Do the program's clocks show simulated time?
    pub simulated_clock: bool,
    /// Do accesses to files without MPI take simulated time?
    pub posix_io: bool,
    /// Allocations of at least this many bytes share memory between ranks; zero: none does.
    pub share_malloc: u64,
    /// Does the MPI library check more than usual?
    pub checked: bool,
    /// Frames of call paths that are recorded.
    pub call_paths: u32,
}

impl Default for RankOptions {
    fn default() -> RankOptions {
        RankOptions { simulated_clock: true, posix_io: false, share_malloc: 0, checked: false, call_paths: 0 }
    }
}

/// The ranks of each program, and where its source lines are looked up.
pub type LinesOfPrograms = Vec<(Range<u32>, Rc<SourceLines>)>;

/// A run that has not begun. The ranks of programs come first, then those of traces.
pub struct ProgramRun<'a> {
    /// The machine, with all ranks on it.
    pub machine: &'a Machine,
    /// The jobs that are programs.
    pub jobs: Vec<ProgramJob>,
    /// The ranks of each program, and where its source lines are looked up.
    pub lines: LinesOfPrograms,
    /// The jobs that are traces.
    pub traces: Traces,
    /// Where computation times of programs come from.
    pub bursts: Bursts,
    /// Speed of the machine on which they are measured, in flops.
    pub speed: f64,
    /// The recorder of the run.
    pub recorder: Box<dyn Recorder>,
    /// Captures of frames.
    pub captures: Vec<CaptureRequest>,
    /// How ranks move between cores, if they do.
    pub balancing: Option<Balancing>,
    /// Sources of wildcard receives, if they are chosen.
    pub choices: Vec<MatchChoice>,
    /// Options that the simulator sends to ranks.
    pub options: RankOptions,
    /// How ranks are executed.
    pub execution: Execution,
}

impl ProgramRun<'_> {
    /// Runs all jobs to their ends; in real time if there is a pacer. Processes that still live end when the engine is dropped.
    pub fn run(mut self, watch: &mut dyn Watch, pacer: Option<&mut Pacer>) -> Result<Ran, Failure> {
        let (session, real_time) = (self.session(), pacer.is_some());
        let memory = self.memory(real_time)?;
        let shapes = self.jobs.iter().map(|job| job.shape).chain(self.traces.shapes()).collect();
        let mut engine = Simulation::new(self.machine)
            .computation(Charged::ALL, self.speed)
            .bursts(self.bursts)
            .recorder(self.recorder)
            .captures(self.captures)
            .jobs(shapes)
            .balancing(self.balancing)
            .engine(memory)?;
        if !self.choices.is_empty() {
            engine.choose_matches(&self.choices);
        }
        self.traces.prepare(&mut engine)?;
        let watch = &mut LoadingWatch { inner: watch, lines: &self.lines };
        let outcomes = match pacer {
            Some(pacer) => session.emulate(&mut engine, watch, pacer).map(|outcome| vec![outcome]),
            None if self.jobs.len() == 1 && self.traces.is_empty() => {
                session.run(&mut engine, watch).map(|outcome| vec![outcome])
            }
            None => session.run_jobs(&mut engine, watch, &mut self.traces),
        };
        let outcomes = outcomes.map_err(session_failure)?;
        engine.close_records();
        Ok(Ran { engine, outcomes, traces: self.traces, lines: self.lines })
    }

    fn memory(&self, real_time: bool) -> Result<Ranks, Failure> {
        let ranks = self.machine.ranks();
        let programs = self.jobs.iter().map(|job| job.shape.size).sum();
        let RankOptions { simulated_clock, posix_io, share_malloc, checked, call_paths } = self.options;
        let briefing = briefing::of(self.machine, programs, &self.bursts, self.speed);
        let briefing = Briefing { simulated_clock, posix_io, share_malloc, checked, call_paths, ..briefing };
        let briefing = if real_time { briefing::in_real_time(briefing) } else { briefing };
        let Execution { folded, workers, data_plane, rank_timeout, .. } = &self.execution;
        if let Some(library) = folded {
            let programs: Vec<_> = self.jobs.iter().flat_map(|job| job.programs.iter().cloned()).collect();
            let folded = Folded::new(ranks, &briefing, library, &programs, *rank_timeout);
            let folded = folded.context("cannot fold the ranks")?;
            return Ok(match *workers {
                WorkerCount::Exactly(1) => Ranks::Folded(Box::new(folded)),
                several => Ranks::Workers(Box::new(Workers::new(folded, several))),
            });
        }
        let processes = Processes::new(ranks, &briefing, *data_plane);
        Ok(Ranks::Processes(Box::new(processes.context("cannot make the mailboxes")?)))
    }

    fn session(&self) -> Session {
        let Execution { rank_timeout, cores, run_ahead, .. } = self.execution;
        Session {
            programs: self.jobs.iter().flat_map(|job| job.programs.iter().cloned()).collect(),
            jobs: self.jobs.iter().map(|job| job.shape.size).collect(),
            hosts: self.hosts(),
            rank_timeout,
            cores,
            run_ahead,
        }
    }

    /// The host of each rank, its number among the ranks of its job there, and how many they are.
    fn hosts(&self) -> Vec<(String, u32, u32)> {
        let sizes: Vec<u32> =
            self.jobs.iter().map(|job| job.shape).chain(self.traces.shapes()).map(|job| job.size).collect();
        let placements = match sizes[..] {
            // The only job shares hosts with the ranks that it may start.
            [_] => vec![self.machine.placement.clone()],
            _ => ranges(&sizes)
                .map(|ranks| self.machine.with_ranks(&ranks.collect::<Vec<_>>()).placement)
                .collect(),
        };
        let named = |host| self.machine.platform.host(host).name();
        let local = placements.iter().flat_map(|own| own.hosts.iter().zip(own.local_ranks()));
        local.map(|(&host, (local, locals))| (named(host), local, locals)).collect()
    }
}

/// The ranks of each job, one job after the other.
fn ranges(sizes: &[u32]) -> impl Iterator<Item = Range<u32>> {
    sizes.iter().scan(0, |first, &size| {
        let ranks = *first..*first + size;
        *first = ranks.end;
        Some(ranks)
    })
}

/// A run that has ended.
pub struct Ran {
    /// The engine, which holds the ranks.
    pub engine: Engine<Ranks>,
    /// How each job ended.
    pub outcomes: Vec<Outcome>,
    /// The traces.
    pub traces: Traces,
    lines: LinesOfPrograms,
}

impl Ran {
    /// The diagnosis of the run.
    pub fn diagnosis(&mut self) -> Diagnosis<'_, Ranks, RanPlaces<'_>> {
        let lines = &self.lines;
        let symbols: Vec<ProgramSymbols> = match &lines[..] {
            [_] => vec![ProgramSymbols::of(self.engine.memory())],
            several => several.iter().map(|(ranks, _)| symbols_of(self.engine.memory_ref(), ranks)).collect(),
        };
        let ranks = self.engine.memory_ref();
        let programs = lines.iter().zip(symbols).map(|((own, lines), symbols)| {
            (own.clone(), ProgramPlaces { ranks, symbols, lines: Rc::clone(lines) })
        });
        let places = RanPlaces { programs: programs.collect(), traces: &self.traces };
        Diagnosis::new(&self.engine, places)
    }
}

/// Reads the symbols of programs once they are loaded; all else is for the inner watch.
struct LoadingWatch<'a> {
    inner: &'a mut dyn Watch,
    lines: &'a LinesOfPrograms,
}

impl Watch for LoadingWatch<'_> {
    fn progress(&mut self, so_far: SoFar) {
        self.inner.progress(so_far);
    }

    fn loaded(&mut self, ranks: &mut Ranks) {
        if let [(_, lines)] = &self.lines[..] {
            lines.set(ProgramSymbols::of(ranks));
        } else {
            self.lines.iter().for_each(|(own, lines)| lines.set(symbols_of(ranks, own)));
        }
        self.inner.loaded(ranks);
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        self.inner.output(rank)
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>) {
        self.inner.slow_rank(rank, seconds, place);
    }
}

/// The symbols that explain addresses of these ranks.
fn symbols_of(ranks: &Ranks, own: &Range<u32>) -> ProgramSymbols {
    let mut symbols = Symbols::default();
    ranks.explain_addresses_of(own.clone(), &mut symbols);
    ProgramSymbols::one(symbols)
}

/// Source lines of programs and places in traces, by the rank that was there.
pub struct RanPlaces<'a> {
    programs: Vec<(Range<u32>, ProgramPlaces<'a>)>,
    traces: &'a Traces,
}

impl<'a> RanPlaces<'a> {
    fn program(&mut self, rank: u32) -> Option<&mut ProgramPlaces<'a>> {
        let (_, program) = self.programs.iter_mut().find(|(ranks, _)| ranks.contains(&rank))?;
        Some(program)
    }
}

impl Places for RanPlaces<'_> {
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace> {
        if let Some((trace, own)) = self.traces.of(rank) {
            return trace_place(trace, own, site);
        }
        self.program(rank)?.call(rank, site)
    }

    fn death(&mut self, rank: u32) -> Option<String> {
        self.program(rank)?.death(rank)
    }
}

/// Source lines of a program.
struct ProgramPlaces<'a> {
    ranks: &'a Ranks,
    symbols: ProgramSymbols,
    lines: Rc<SourceLines>,
}

impl ProgramPlaces<'_> {
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace> {
        let site = self.symbols.of_rank(rank)?.mpi_call(self.lines.innermost(site));
        let text = site.to_string();
        let (file, line) = site.line.map(|(file, line)| (file, u64::from(line))).unzip();
        Some(SourcePlace { text, file, line, function: site.function })
    }

    fn death(&mut self, rank: u32) -> Option<String> {
        let symbols = self.symbols.of_rank(rank)?;
        Some(self.ranks.place_of_death(RankId::new(rank), symbols)?.to_string())
    }
}

/// A session that could not start, or was stopped.
fn session_failure(error: SessionError) -> Failure {
    let code = match &error {
        SessionError::Interrupted(signal) => 128 + *signal as u8,
        SessionError::Replayed(_) => failure::BAD_TRACE,
        SessionError::Output(error) if error.kind() == ErrorKind::BrokenPipe => failure::BROKEN_PIPE,
        _ => failure::USAGE,
    };
    Failure { code, error: anyhow!(error) }
}

/// The exit code of a job: the program's own, or ours if the program did not exit by itself.
pub fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Finished { code } => *code as u8,
        Outcome::Ended(Ending::Finished) => 0,
        Outcome::Ended(Ending::Deadlock) => failure::DEADLOCK,
        Outcome::Interrupted { signal } => 128 + *signal as u8,
        Outcome::Ended(Ending::BeyondTime) => failure::USAGE,
        Outcome::Ended(Ending::Unreachable { .. }) | Outcome::Ended(Ending::NetworkDeadlock { .. }) => {
            failure::UNREACHABLE
        }
        Outcome::Ended(Ending::Misuse { .. }) | Outcome::RankHangs { .. } => failure::MISUSE,
        Outcome::Ended(Ending::Aborted { code, .. }) => nonzero(*code as u8, 1),
        Outcome::RankDied { death, .. } | Outcome::WorkerDied(LostWorker { death, .. }) => {
            nonzero(death.code() as u8, failure::MISUSE)
        }
    }
}

fn nonzero(code: u8, otherwise: u8) -> u8 {
    if code == 0 { otherwise } else { code }
}
