//! The course of a run: recorders, the simulation, the diagnosis, figures and files.

use std::cell::RefCell;
use std::num::NonZero;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use mpirage_check::Checker;
use mpirage_files::OutputFile;
use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine};
use mpirage_packet::CaptureRequest;
use mpirage_programs::install::{self, Install};
use mpirage_rank::{Outcome, Ranks, Watch};
use mpirage_record::Recorder;
use mpirage_report::Container;
use mpirage_units::Time;

use super::plan::Run;
use super::request::Compute;
use crate::balancing;
use crate::captures::Captures;
use crate::check::{self, CheckRun};
use crate::competition::Competition;
use crate::costs;
use crate::diagnosis::Explained;
use crate::failure::{BEHIND, Failure};
use crate::figures::Figures;
use crate::interrupt::Interrupt;
use crate::live::Watched;
use crate::outputs::{self, Failures};
use crate::programs::{Execution, ProgramJob, ProgramRun, Ran, RankOptions, exit_code};
use crate::recordings::{Recordings, Source};
use crate::repetition::{Repetition, TemporaryTrace};
use crate::reporting::{self, Closing};
use crate::simulation::{Charged, JobShape};
use crate::source_lines::{PathRecorder, SourceLines};
use crate::traced::Ended;
use crate::traces::Traces;

impl Run {
    /// Runs the programs to their ends, and writes all files.
    pub fn run(mut self, watch: &mut dyn Watch, interrupt: Interrupt) -> Result<Ended, Failure> {
        let (started, competition) = (Instant::now(), Competition::watch());
        let repeated = match self.request.repeat {
            Some(runs) => Some((runs, TemporaryTrace::add_to(&mut self.request.outputs)?)),
            None => None,
        };
        let new_costs = self.costs_written().map(outputs::open).transpose()?;
        let bursts = self.bursts();
        let lines = self.lines();
        let mut recordings = self.recordings(&lines)?;
        let (captures, requests) = Captures::open(&self.request.outputs, &self.machine)?;
        let (recorder, checker) = self.recorder(&recordings, &lines);
        interrupt.check()?;
        let mut emulation = self.emulation.take();
        let pacer = emulation.as_mut().map(|emulation| &mut emulation.pacer);
        let onlooker = recordings.onlooker(started, || self.known());
        let watch = &mut Watched { inner: watch, onlooker };
        let ran = self.program_run(bursts, recorder, requests, &lines)?.run(watch, pacer);
        self.emulation = emulation;
        let mut ran = ran?;
        let outcome = ran.outcomes.remove(0);
        self.save_findings(&mut ran, &outcome, checker)?;
        let mut explained = self.explain(&mut ran, &outcome);
        let code = explained.exit_code(exit_code(&outcome));
        let mut engine = ran.engine;
        let mut figures =
            self.figures(&engine, &outcome, &recordings.summary(), (started.elapsed(), &competition));
        recordings.complete(&mut figures, &self.machine);
        (figures.explanation, figures.deadlock) = (explained.text.clone(), explained.deadlock.take());
        let mut failures = Failures::default();
        if !matches!(outcome, Outcome::Interrupted { .. }) {
            failures.note(self.save_costs(&engine, new_costs));
        }
        captures.finish(engine.finish_network(), &mut failures);
        // Dropping the engine ends the ranks, after which their use of memory and processor is known.
        drop(engine);
        let mut remarks = std::mem::take(&mut explained.leftovers);
        remarks.extend(recordings.finish(&mut failures));
        if let Some((runs, trace)) = repeated.filter(|_| code == 0) {
            let (trace, machine) = (trace.file.to_string_lossy(), &self.request.machine);
            let repetition = Repetition { runs, trace: &trace, machine, compute: None, host_speed: None };
            let spread = repetition.spread(figures.simulated_seconds, &self.machine, interrupt)?;
            (figures.repetition, figures.wall_seconds) = (Some(spread), started.elapsed().as_secs_f64());
        }
        let figures = self.with_pace(figures.with_usage());
        let code = if code == 0 && self.is_behind(&figures) { BEHIND } else { code };
        let report = failures.note(self.report(&mut recordings, &figures, explained)).flatten();
        Ok(Ended { figures, code, report, failures, remarks })
    }

    /// Where the source lines of the programs are looked up.
    fn lines(&self) -> Rc<SourceLines> {
        let several = self.programs.windows(2).any(|pair| pair[0].path != pair[1].path);
        Rc::new(SourceLines::of_programs(several).telling_paths_apart(self.request.tells_paths_apart()))
    }

    fn recordings(&self, lines: &Rc<SourceLines>) -> Result<Recordings, Failure> {
        let source = Source {
            name: &self.name(),
            speed: self.host_speed(),
            free: self.compute == Compute::None,
            compute: &self.describe_compute(),
            lines: Some(Rc::clone(lines) as Rc<dyn Sites>),
        };
        Recordings::create(&self.request.outputs, &source, &self.machine)
    }

    /// The recorder for the engine; with it the checker, if the run is checked.
    fn recorder(
        &self,
        recordings: &Recordings,
        lines: &Rc<SourceLines>,
    ) -> (Box<dyn Recorder>, Option<Rc<RefCell<Checker>>>) {
        let mut recorder = recordings.recorder();
        if self.request.callers(&self.compute) > 0 {
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

    fn program_run(
        &self,
        bursts: Bursts,
        recorder: Box<dyn Recorder>,
        captures: Vec<CaptureRequest>,
        lines: &Rc<SourceLines>,
    ) -> Result<ProgramRun<'_>, Failure> {
        let request = &self.request;
        let size = self.programs.len() as u32;
        let shape = JobShape { size, start: Time::ZERO, speed: Some(self.host_speed()) };
        let folded = match self.rank_mode.folded {
            true => Some(Install::locate()?.library.join(install::LOADED)),
            false => None,
        };
        Ok(ProgramRun {
            machine: &self.machine,
            jobs: vec![ProgramJob { programs: self.programs.clone(), shape }],
            lines: vec![(0..u32::MAX, Rc::clone(lines))],
            traces: Traces::default(),
            bursts,
            speed: self.host_speed(),
            recorder,
            captures,
            balancing: balancing::plan(
                &request.migration,
                &self.machine,
                self.host_speed(),
                request.machine.seed,
            )?,
            choices: self.check.as_ref().map(CheckRun::choices).unwrap_or_default(),
            options: RankOptions {
                simulated_clock: self.simulated_clock,
                posix_io: self.posix_io,
                share_malloc: request.smallest_shared()?,
                checked: self.check.is_some(),
                call_paths: request.callers(&self.compute),
            },
            execution: Execution {
                folded,
                workers: self.workers.count,
                data_plane: self.data_plane,
                rank_timeout: request.rank_timeout.map(Duration::from_secs_f64),
                cores: request.cores.map(NonZero::get),
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

    fn save_costs(&self, engine: &Engine<Ranks>, file: Option<OutputFile>) -> Result<(), Failure> {
        if let (Some(file), Bursts::Recording(recorded)) = (file, engine.bursts()) {
            costs::write(file, self.host_speed(), recorded)?;
        }
        Ok(())
    }

    /// Writes the findings of a run of a check. Nothing follows from one that a signal ended.
    fn save_findings(
        &self,
        ran: &mut Ran,
        outcome: &Outcome,
        checker: Option<Rc<RefCell<Checker>>>,
    ) -> Result<(), Failure> {
        let Some((check, checker)) = self.check.as_ref().zip(checker) else { return Ok(()) };
        check::save(check, &mut ran.diagnosis(), outcome, &checker.borrow())?;
        match outcome {
            Outcome::Interrupted { signal } => {
                Err(Failure { code: exit_code(outcome), error: anyhow!("interrupted by signal {signal}") })
            }
            _ => Ok(()),
        }
    }

    /// Why the run failed; adds doubts about what the ranks met.
    fn explain(&mut self, ran: &mut Ran, outcome: &Outcome) -> Explained {
        self.warnings.extend(self.doubts_after(&mut ran.engine, outcome));
        ran.diagnosis().report(outcome, "run")
    }

    /// The data of the report, unless it goes into a file.
    fn report(
        &self,
        recordings: &mut Recordings,
        figures: &Figures,
        explained: Explained,
    ) -> Result<Option<Container>, Failure> {
        let mut notes = reporting::notes(&self.machine);
        notes.extend(self.describe_host_speed());
        let charged = Charged { bursts: self.compute != Compute::None, declared: true };
        let (outcome, waits) = (explained.text.as_deref(), explained.waits);
        let closing = Closing { figures, outcome, waits, notes, speed: self.host_speed(), charged };
        recordings.report(&self.machine, &closing)
    }
}
