//! A run of all jobs together.

use std::cell::RefCell;
use std::io::Write;
use std::iter::repeat_n;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use mpirage_channel::Briefing;
use mpirage_interpret::Sites;
use mpirage_mpi::{Bursts, Costs, Engine, Setup};
use mpirage_rank::{DataPlane, Processes, Ranks, RunAhead, Session, Symbols, Watch};
use mpirage_record::{Recorder, Summary};
use mpirage_units::Time;

use super::alone::Alone;
use super::ending::ends;
use super::file::CoreSharing;
use super::plan::{Job, Plan};
use super::recorder::JobRecorder;
use super::traces::Traces;
use crate::arguments::JobsArguments;
use crate::exit::{Failure, usage};
use crate::interrupt::Interrupt;
use crate::output::{self, say};
use crate::program_output::ProgramOutput;
use crate::progress::Progress;
use crate::recordings::{self, Source};
use crate::replay::lines_of;
use crate::reporting::Reporting;
use crate::results::{self, Failures, JsonOutput};
use crate::run::{exit_code, session_failure};
use crate::source_lines::{PathRecorder, ProgramSymbols, SourceLines};
use crate::{briefing, costs};

/// A run of all jobs together.
pub(super) struct Run {
    pub arguments: JobsArguments,
    pub plan: Plan,
    pub sharing: CoreSharing,
    /// Speed of this machine, if programs are measured.
    pub speed: Option<f64>,
    /// The file for the costs of the only job.
    pub costs_file: Option<PathBuf>,
    /// What each job did alone, if that is known.
    pub alone: Option<Vec<Alone>>,
}

/// What observes a job.
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
    pub fn carry_out(mut self, json: Option<JsonOutput>, interrupt: &Interrupt) -> Result<u8, Failure> {
        let started = Instant::now();
        let observed = self.observe()?;
        let mut engine = self.engine(&observed)?;
        let mut traces = Traces::take(&mut self.plan.jobs);
        traces.prepare(&mut engine)?;
        let session = self.session();
        let mut watch = JobsWatch {
            progress: Progress::new(self.plan.machine.ranks(), self.arguments.quiet),
            programs: self.programs(&observed),
            output: self.output(),
        };
        interrupt.check()?;
        let outcomes = session.run_jobs(&mut engine, &mut watch, &mut traces);
        let JobsWatch { progress, mut output, .. } = watch;
        let passed_on = output::written(output.finish());
        progress.finish();
        let outcomes = outcomes.map_err(session_failure)?;
        engine.close_records();
        let mut failures = Failures::default();
        failures.note(passed_on);
        failures.note(self.save_costs(&engine));
        let mut figures = self.figures(&engine, &outcomes, &observed, started.elapsed().as_secs_f64());
        let waits = self.explain(&mut engine, &outcomes, &traces, &mut figures.jobs);
        failures.note(engine.finish_network().map_err(|error| usage(format!("the network: {error}"))));
        let since_start = |job: &Job| {
            let seconds = |end: Time| end.max(job.start).since(job.start).as_secs_f64();
            ends(&engine, job).map(seconds).collect()
        };
        let ends: Vec<Vec<f64>> = self.plan.jobs.iter().map(since_start).collect();
        // Ends the processes that are left.
        drop(engine);
        failures.note(self.write_reports(&figures, &outcomes, &observed, &ends, &waits));
        if !self.arguments.quiet {
            figures.print();
        }
        figures.warnings.iter().for_each(|warning| say!("mpirage: warning: {warning}"));
        if let Some(json) = json {
            failures.note(json.write(&figures, if output.ends_within_line() { "\n" } else { "" }));
        }
        let code = outcomes.iter().map(exit_code).find(|&code| code != 0).unwrap_or(0);
        Ok(failures.exit_code(code))
    }

    /// A summary of each job, and a report if the user asks for one.
    fn observe(&self) -> Result<Vec<Observed>, Failure> {
        self.plan.jobs.iter().map(|job| self.observe_one(job)).collect()
    }

    fn observe_one(&self, job: &Job) -> Result<Observed, Failure> {
        let lines = job.program.is_some().then(|| Rc::new(SourceLines::default()));
        let report = match &self.arguments.reports {
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
                let run = recordings::run_info(&source, &machine);
                Some(Reporting::new("clocks", &run, &machine, source.computation())?)
            }
        };
        Ok(Observed { summary: Rc::default(), report, lines })
    }

    fn recorder(&self, observed: &[Observed]) -> Box<dyn Recorder> {
        let mut all: Vec<Box<dyn Recorder>> = Vec::new();
        for (job, Observed { summary, report, lines }) in self.plan.jobs.iter().zip(observed) {
            let mut own: Vec<Box<dyn Recorder>> = Vec::new();
            if let Some(lines) = lines.as_ref().filter(|_| self.arguments.call_paths > 0) {
                // Paths come first: the others ask what their sites mean.
                own.push(Box::new(PathRecorder(Rc::clone(lines))));
            }
            own.push(Box::new(Rc::clone(summary)));
            own.extend(report.iter().map(|report| Box::new(report.recorder()) as Box<dyn Recorder>));
            all.push(Box::new(JobRecorder::new(job.ranks.clone(), job.start, own)));
        }
        Box::new(all)
    }

    fn engine(&self, observed: &[Observed]) -> Result<Engine<Ranks>, Failure> {
        let (machine, jobs) = (&self.plan.machine, &self.plan.jobs);
        let bursts = self.bursts();
        let speed = self.speed.unwrap_or(1.0);
        let programs = self.plan.program_ranks();
        let briefing = Briefing {
            call_paths: self.arguments.call_paths,
            ..briefing::of(machine, programs, &bursts, speed)
        };
        let memory = Processes::new(machine.ranks(), &briefing, DataPlane::Direct);
        let memory = Ranks::Processes(Box::new(memory.context("cannot make the mailboxes")?));
        let setup = machine.setup(speed, bursts, self.recorder(observed));
        let mut seconds_per_nano = setup.seconds_per_nano.clone();
        for job in jobs {
            for rank in job.ranks.clone() {
                let host = machine.placement.hosts[rank as usize];
                let seconds = machine.slowdown(host, job.speed) * 1e-9;
                seconds_per_nano[rank as usize] = if job.charged { seconds } else { 0.0 };
            }
        }
        let sizes = jobs.iter().map(Job::size).collect();
        let starts = jobs.iter().map(|job| job.start).collect();
        Ok(Engine::new(Setup { jobs: sizes, starts, seconds_per_nano, ..setup }, memory))
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
                Ok(costs::write(results::open(file)?, self.speed.unwrap_or(1.0), recorded)?)
            }
            _ => Ok(()),
        }
    }

    fn session(&self) -> Session {
        let platform = &self.plan.machine.platform;
        let mut hosts = Vec::new();
        for job in &self.plan.jobs {
            // Ranks of other jobs on the same host do not count.
            let own = self.plan.machine_of(job).placement;
            let local = own.hosts.iter().zip(own.local_ranks());
            hosts.extend(local.map(|(&host, (local, locals))| (platform.host(host).name(), local, locals)));
        }
        let programs = self.plan.jobs.iter().filter_map(|job| Some((job.program.as_ref()?, job.size())));
        Session {
            programs: programs
                .clone()
                .flat_map(|(program, size)| repeat_n(Arc::clone(program), size as usize))
                .collect(),
            jobs: programs.map(|(_, size)| size).collect(),
            hosts,
            rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
            cores: None,
            run_ahead: RunAhead::Auto,
        }
    }

    /// The ranks of each program, and where its source lines are looked up.
    fn programs(&self, observed: &[Observed]) -> Vec<(Range<u32>, Rc<SourceLines>)> {
        let jobs = self.plan.jobs.iter().zip(observed);
        jobs.filter_map(|(job, seen)| Some((job.ranks.clone(), Rc::clone(seen.lines.as_ref()?)))).collect()
    }

    fn output(&self) -> ProgramOutput {
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

/// Shows progress, passes output on, and reads the symbols of each program.
struct JobsWatch {
    progress: Progress,
    programs: Vec<(Range<u32>, Rc<SourceLines>)>,
    output: ProgramOutput,
}

impl Watch for JobsWatch {
    fn progress(&mut self, simulated: f64, ended: usize) {
        Watch::progress(&mut self.progress, simulated, ended);
    }

    fn loaded(&mut self, ranks: &mut Ranks) {
        for (own, lines) in &self.programs {
            let mut symbols = Symbols::default();
            ranks.explain_addresses_of(own.clone(), &mut symbols);
            lines.set(ProgramSymbols::one(symbols));
        }
    }

    fn output(&mut self, rank: u32) -> Box<dyn Write + '_> {
        Box::new(self.output.of(rank))
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64) {
        self.progress.slow_rank(rank, seconds);
    }
}
