//! A run of all jobs together.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine};
use mpirage_platform::UNMEASURED_SPEED;
use mpirage_rank::{DataPlane, Ranks, RunAhead, Watch, WorkerCount};
use mpirage_record::{Recorder, Summary};
use mpirage_units::Time;

use super::ending::ends;
use super::figures::JobsFigures;
use super::file::CoreSharing;
use super::plan::{Job, JobsPlan};
use crate::competition::Competition;
use crate::costs::{self, Recording};
use crate::failure::{Failure, usage};
use crate::interrupt::Interrupt;
use crate::job_recorder::JobRecorder;
use crate::outputs::{self, Failures};
use crate::programs::{Execution, LinesOfPrograms, ProgramJob, ProgramRun, RankOptions, exit_code};
use crate::recordings::{Source, run_info};
use crate::reporting::{IdealTime, Reporting};
use crate::run::CALLERS_IN_REPORTS;
use crate::source_lines::{PathRecorder, SourceLines};
use crate::traces::Traces;
use crate::workload::lines_of;

/// A run of all jobs together.
pub struct JobsRun {
    /// The jobs on their machine.
    pub plan: JobsPlan,
    /// How ranks share cores.
    pub sharing: CoreSharing,
    /// Speed of this machine, if programs are measured.
    pub speed: Option<f64>,
    /// The file for the costs of the only job.
    pub costs_file: Option<PathBuf>,
    /// The result of each job when it ran alone, if that is known.
    pub alone: Option<Vec<Alone>>,
    /// The folder for a report of each job.
    pub report: Option<PathBuf>,
    /// The longest that a rank may compute without calling MPI, in seconds.
    pub rank_timeout: Option<f64>,
    /// Callers that tell calls apart.
    pub call_paths: Option<u32>,
}

/// The result of a job that ran alone.
pub struct Alone {
    /// Its simulated seconds; none if it failed.
    pub seconds: Option<f64>,
    /// The costs of its computation, if it is a program that was measured.
    pub costs: Option<Recording>,
}

/// Jobs that have ended, with all files written.
pub struct JobsEnded {
    /// Their figures.
    pub figures: JobsFigures,
    /// The exit code.
    pub code: u8,
    /// Outputs that could not be written.
    pub failures: Failures,
    /// Remarks for the user: why jobs failed, and what they left behind.
    pub remarks: Vec<String>,
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

impl JobsRun {
    /// Runs the jobs to their ends, and writes all files.
    pub fn run(mut self, watch: &mut dyn Watch, interrupt: Interrupt) -> Result<JobsEnded, Failure> {
        let (started, competition) = (Instant::now(), Competition::watch());
        let observed = self.observe()?;
        interrupt.check()?;
        let traces = self.plan.take_traces();
        let mut ran = self.program_run(&observed, traces).run(watch, None)?;
        let outcomes = std::mem::take(&mut ran.outcomes);
        let mut failures = Failures::default();
        failures.note(self.save_costs(&ran.engine));
        let mut figures = self.figures(&ran.engine, &outcomes, &observed, started.elapsed().as_secs_f64());
        let trusts = self.trusts(&figures, &observed, &competition);
        figures.jobs.iter_mut().zip(trusts).for_each(|(job, trust)| job.trust = trust);
        let (remarks, waits) = self.explain(&mut ran, &outcomes, &mut figures.jobs);
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
        let code = outcomes.iter().map(exit_code).find(|&code| code != 0).unwrap_or(0);
        Ok(JobsEnded { figures, code, failures, remarks })
    }

    /// A summary of each job, and a report if the user asks for one.
    fn observe(&self) -> Result<Vec<Observed>, Failure> {
        self.plan.jobs.iter().map(|job| self.observe_one(job)).collect()
    }

    fn observe_one(&self, job: &Job) -> Result<Observed, Failure> {
        let apart = self.call_paths.is_some_and(|callers| callers > 0);
        let lines = job.program.is_some().then(|| Rc::new(SourceLines::default().telling_paths_apart(apart)));
        let report = match &self.report {
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
        self.call_paths.unwrap_or(if self.report.is_some() { CALLERS_IN_REPORTS } else { 0 })
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
                workers: WorkerCount::Exactly(1),
                data_plane: DataPlane::Direct,
                rank_timeout: self.rank_timeout.map(Duration::from_secs_f64),
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
                Ok(costs::write(outputs::open(file)?, self.speed.unwrap_or(UNMEASURED_SPEED), recorded)?)
            }
            _ => Ok(()),
        }
    }

    /// The ranks of each program, and where its source lines are looked up.
    fn lines(&self, observed: &[Observed]) -> LinesOfPrograms {
        let jobs = self.plan.jobs.iter().zip(observed);
        jobs.filter_map(|(job, seen)| Some((job.ranks.clone(), Rc::clone(seen.lines.as_ref()?)))).collect()
    }
}
