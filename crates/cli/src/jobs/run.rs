//! A run of all jobs together.

use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine};
use mpirage_platform::UNMEASURED_SPEED;
use mpirage_rank::{DataPlane, Ranks, RunAhead};
use mpirage_record::{Recorder, Summary};
use mpirage_simulation::jobs::{CoreSharing, Job, JobsPlan};
use mpirage_simulation::{
    Execution, Failures, Interrupt, JobRecorder, LinesOfPrograms, PathRecorder, ProgramJob, ProgramRun,
    RankOptions, Source, SourceLines, Traces, costs, exit_code, reporting::IdealTime, reporting::Reporting,
    run_info, workload::lines_of,
};
use mpirage_units::Time;

use super::alone::Alone;
use super::ending::ends;
use crate::arguments::JobsArguments;
use crate::exit::{Failure, usage};
use crate::output;
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::results::{self, JsonOutput};
use crate::session_watch::SessionWatch;

/// A run of all jobs together.
pub(super) struct Run {
    pub arguments: JobsArguments,
    pub plan: JobsPlan,
    pub sharing: CoreSharing,
    /// Speed of this machine, if programs are measured.
    pub speed: Option<f64>,
    /// The file for the costs of the only job.
    pub costs_file: Option<PathBuf>,
    /// The result of each job when it ran alone, if that is known.
    pub alone: Option<Vec<Alone>>,
}

/// The observers of a job.
pub(super) struct Observed {
    /// Counts.
    pub summary: Rc<RefCell<Summary>>,
    /// The data of its page, if there is to be one.
    pub report: Option<Reporting>,
    /// Source lines of its program.
    pub lines: Option<Rc<SourceLines>>,
}

impl Run {
    /// Runs the jobs; gives the exit code.
    pub fn carry_out(mut self, json: JsonOutput, interrupt: Interrupt) -> Result<u8, Failure> {
        let started = Instant::now();
        let observed = self.observe()?;
        let mut watch = SessionWatch {
            progress: Progress::new(self.plan.machine.ranks(), self.arguments.quiet),
            output: self.output(),
        };
        interrupt.check()?;
        let traces = self.plan.take_traces();
        let ran = self.program_run(&observed, traces).run(&mut watch, None);
        let (passed_on, ends_within_line) = watch.finish();
        let mut ran = ran?;
        let outcomes = std::mem::take(&mut ran.outcomes);
        let mut failures = Failures::default();
        failures.note(passed_on);
        failures.note(self.save_costs(&ran.engine));
        let mut figures = self.figures(&ran.engine, &outcomes, &observed, started.elapsed().as_secs_f64());
        let waits = self.explain(&mut ran, &outcomes, &mut figures.jobs);
        let mut engine = ran.engine;
        failures.note(engine.finish_network().map_err(|error| usage(format!("the network: {error}"))));
        let since_start = |job: &Job| {
            let seconds = |end: Time| end.max(job.start).since(job.start).as_secs_f64();
            ends(&engine, job).map(seconds).collect()
        };
        let ends: Vec<Vec<f64>> = self.plan.jobs.iter().map(since_start).collect();
        // Ends the processes that are left.
        drop(engine);
        failures.note(self.write_reports(&figures, &outcomes, &observed, &ends, &waits));
        results::report(&failures);
        if !self.arguments.quiet {
            figures.print();
        }
        figures.warnings.iter().for_each(output::warn);
        let line_break = if ends_within_line { "\n" } else { "" };
        let shown = json.write_after(line_break, &figures);
        let code = outcomes.iter().map(exit_code).find(|&code| code != 0).unwrap_or(0);
        Ok(results::conclude(failures, shown, code))
    }

    /// A summary of each job, and a report if the user asks for one.
    fn observe(&self) -> Result<Vec<Observed>, Failure> {
        self.plan.jobs.iter().map(|job| self.observe_one(job)).collect()
    }

    fn observe_one(&self, job: &Job) -> Result<Observed, Failure> {
        let apart = self.arguments.call_paths.are_apart();
        let lines = job.program.is_some().then(|| Rc::new(SourceLines::default().telling_paths_apart(apart)));
        let report = match &self.arguments.report {
            None => None,
            Some(_) => {
                let machine = self.plan.machine_of(job);
                let sites = match (&lines, &job.trace) {
                    (Some(lines), _) => Some(Rc::clone(lines) as Rc<dyn Sites>),
                    (None, Some(trace)) => lines_of(trace.as_ref()),
                    (None, None) => None,
                };
                let compute = job.describe_compute();
                let source = Source {
                    name: &job.name,
                    speed: job.speed,
                    free: !job.charged,
                    compute: &compute,
                    lines: sites,
                };
                let run = run_info(&source, &machine);
                Some(Reporting::new(IdealTime::Clocks, &run, &machine, source.computation())?)
            }
        };
        Ok(Observed { summary: Rc::default(), report, lines })
    }

    fn recorder(&self, observed: &[Observed]) -> Box<dyn Recorder> {
        let mut all: Vec<Box<dyn Recorder>> = Vec::new();
        for (job, Observed { summary, report, lines }) in self.plan.jobs.iter().zip(observed) {
            let mut own: Vec<Box<dyn Recorder>> = Vec::new();
            if let Some(lines) = lines.as_ref().filter(|_| self.callers() > 0) {
                // Paths come first: the others ask what their sites mean.
                own.push(Box::new(PathRecorder(Rc::clone(lines))));
            }
            own.push(Box::new(Rc::clone(summary)));
            own.extend(report.iter().map(|report| Box::new(report.recorder()) as Box<dyn Recorder>));
            all.push(Box::new(JobRecorder::new(job.ranks.clone(), job.start, own)));
        }
        Box::new(all)
    }

    /// Callers of each call that are recorded.
    fn callers(&self) -> u32 {
        self.arguments.call_paths.callers(self.arguments.report.is_some())
    }

    fn program_run(&self, observed: &[Observed], traces: Traces) -> ProgramRun<'_> {
        let program = |job: &Job| {
            let program = job.program.as_ref()?;
            Some(ProgramJob { programs: vec![Arc::clone(program); job.size() as usize], shape: job.shape() })
        };
        ProgramRun {
            machine: &self.plan.machine,
            jobs: self.plan.jobs.iter().filter_map(program).collect(),
            lines: self.lines(observed),
            traces,
            bursts: self.bursts(),
            speed: self.speed.unwrap_or(UNMEASURED_SPEED),
            recorder: self.recorder(observed),
            captures: Vec::new(),
            balancing: None,
            choices: Vec::new(),
            options: RankOptions { call_paths: self.callers(), ..RankOptions::default() },
            execution: Execution {
                folded: None,
                data_plane: DataPlane::Direct,
                rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
                cores: None,
                run_ahead: RunAhead::Auto,
            },
        }
    }

    /// Where computation times come from: this run, or the runs of single jobs.
    fn bursts(&self) -> Bursts {
        let programs = self.plan.program_ranks() as usize;
        let measured = self.alone.iter().flatten().filter_map(|alone| alone.costs.as_ref());
        let by_rank: Vec<_> = measured.flat_map(|recording| recording.costs.by_rank.clone()).collect();
        if self.plan.free {
            Bursts::None
        } else if self.costs_file.is_some() && programs > 0 {
            Bursts::Recording(Costs { by_rank: vec![Vec::new(); programs] })
        } else if programs > 0 && by_rank.len() == programs {
            Bursts::Recorded(Costs { by_rank }, vec![0; programs])
        } else {
            Bursts::Measured
        }
    }

    fn save_costs(&self, engine: &Engine<Ranks>) -> Result<(), Failure> {
        match (&self.costs_file, engine.bursts()) {
            (Some(file), Bursts::Recording(recorded)) => {
                Ok(costs::write(results::open(file)?, self.speed.unwrap_or(UNMEASURED_SPEED), recorded)?)
            }
            _ => Ok(()),
        }
    }

    /// The ranks of each program, and where its source lines are looked up.
    fn lines(&self, observed: &[Observed]) -> LinesOfPrograms {
        let jobs = self.plan.jobs.iter().zip(observed);
        jobs.filter_map(|(job, seen)| Some((job.ranks.clone(), Rc::clone(seen.lines.as_ref()?)))).collect()
    }

    fn output(&self) -> ProgramOutput {
        self.tagged_output().elsewhere(self.arguments.json.is_alone())
    }

    fn tagged_output(&self) -> ProgramOutput {
        if !self.arguments.tag_output {
            return ProgramOutput::new(false);
        }
        let names: Vec<(Range<u32>, String)> =
            self.plan.jobs.iter().map(|job| (job.ranks.clone(), job.name.clone())).collect();
        ProgramOutput::with_tags(move |rank| {
            let job = names.iter().find(|(ranks, _)| ranks.contains(&rank));
            job.map(|(ranks, name)| format!("[{name},{}]: ", rank - ranks.start)).unwrap_or_default()
        })
    }
}
