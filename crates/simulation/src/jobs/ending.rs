//! The output of jobs after all have ended: figures, why some failed, reports.

use std::ops::Range;

use mpirage_mpi::{Engine, JobId};
use mpirage_rank::{Outcome, Ranks};
use mpirage_units::Time;

use super::figures::{JobFigures, JobsFigures};
use super::file::CoreSharing;
use super::plan::Job;
use super::run::{JobsRun, Observed};
use crate::competition::Competition;
use crate::diagnosis::Explained;
use crate::energy::EnergyFigures;
use crate::failure::Failure;
use crate::figures::{Efficiency, Figures, outcome_name};
use crate::outputs;
use crate::programs::Ran;
use crate::reporting::{self, Closing};
use crate::simulation::Charged;
use crate::trust::{Measurement, Trust};

/// The blocked ranks of each job, each with a description of what it waits for.
type Waits = Vec<Vec<(u32, String)>>;

impl JobsRun {
    /// The figures of all jobs.
    pub(super) fn figures(
        &self,
        engine: &Engine<Ranks>,
        outcomes: &[Outcome],
        observed: &[Observed],
        wall_seconds: f64,
    ) -> JobsFigures {
        let jobs = self.plan.jobs.iter().zip(outcomes).zip(observed).enumerate();
        let figures = |(at, ((job, outcome), seen)): (usize, ((&Job, &Outcome), &Observed))| {
            let ended = engine.ended_at(JobId::new(at as u32));
            let mut figures = self.job_figures(engine, job, outcome, ended, seen);
            figures.compare(self.alone.as_ref().and_then(|alone| alone[at].seconds));
            figures
        };
        let jobs: Vec<JobFigures> = jobs.map(figures).collect();
        JobsFigures {
            simulated_seconds: jobs.iter().map(|job| job.start_seconds + job.seconds).fold(0.0, f64::max),
            wall_seconds,
            energy: EnergyFigures::of(
                engine,
                &self.plan.machine,
                engine.ends().max().unwrap_or(engine.now()),
            ),
            jobs,
            model: self.plan.machine.model.name.clone(),
            platform: self.plan.machine.spec.clone(),
            cores: match self.sharing {
                CoreSharing::Own => "own",
                CoreSharing::Fair => "fair",
                CoreSharing::RoundRobin(_) => "round-robin",
            },
            warnings: self.plan.machine.warnings.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        }
    }

    fn job_figures(
        &self,
        engine: &Engine<Ranks>,
        job: &Job,
        outcome: &Outcome,
        ended: Option<Time>,
        seen: &Observed,
    ) -> JobFigures {
        let finished = matches!(outcome, Outcome::Finished { .. });
        let last = ends(engine, job).max().unwrap_or(job.start);
        let end = if finished { last } else { ended.unwrap_or(engine.now()) };
        let platform = &self.plan.machine.platform;
        let summary = seen.summary.borrow();
        JobFigures {
            name: job.name.clone(),
            what: job.what.clone(),
            outcome: outcome_name(outcome).to_owned(),
            explanation: None,
            ranks: job.size(),
            first_rank: job.ranks.start,
            hosts: self.plan.hosts(job).iter().map(|&host| platform.host(host).name()).collect(),
            start_seconds: job.start.as_secs_f64(),
            seconds: end.max(job.start).since(job.start).as_secs_f64(),
            trust: None,
            alone_seconds: None,
            slowdown: None,
            messages: summary.messages,
            bytes: summary.bytes,
            calls: summary.calls,
        }
    }

    /// Why jobs failed, or what is left if all finished, and what each rank of each job waits for.
    pub(super) fn explain(
        &self,
        ran: &mut Ran,
        outcomes: &[Outcome],
        figures: &mut [JobFigures],
    ) -> (Vec<String>, Waits) {
        let mut diagnosis = ran.diagnosis();
        if outcomes.iter().all(|outcome| matches!(outcome, Outcome::Finished { .. })) {
            let explained = diagnosis.report(&outcomes[0], "run");
            return (explained.leftovers, vec![Vec::new(); outcomes.len()]);
        }
        let (mut remarks, mut waits) = (Vec::new(), Vec::new());
        for ((job, outcome), figures) in self.plan.jobs.iter().zip(outcomes).zip(figures) {
            if matches!(outcome, Outcome::Finished { .. }) {
                waits.push(Vec::new());
                continue;
            }
            let Range { start, end } = job.ranks;
            remarks.push(format!("job {} failed; its ranks are {start} to {} of the run", job.name, end - 1));
            let Explained { text, waits: all, .. } = diagnosis.report(outcome, "run");
            remarks.extend(text.clone());
            figures.explanation = text;
            let own = all.into_iter().filter(|(rank, _)| job.ranks.contains(rank));
            waits.push(own.map(|(rank, text)| (rank - start, text)).collect());
        }
        (remarks, waits)
    }

    /// Writes the report of each job, if the user asks for them.
    pub(super) fn write_reports(
        &self,
        all: &JobsFigures,
        outcomes: &[Outcome],
        observed: &[Observed],
        ends: &[Vec<f64>],
        waits: &Waits,
    ) -> Result<(), Failure> {
        let Some(folder) = &self.report else { return Ok(()) };
        for (at, (job, seen)) in self.plan.jobs.iter().zip(observed).enumerate() {
            let Some(report) = &seen.report else { continue };
            let machine = self.plan.machine_of(job);
            let own = &all.jobs[at];
            let figures = Figures { per_rank_seconds: ends[at].clone(), ..self.page_figures(all, own, seen) };
            let mut notes = reporting::notes(&machine);
            notes.push(beside(all, own));
            let closing = Closing {
                figures: &figures,
                outcome: own.explanation.as_deref().filter(|_| outcome_name(&outcomes[at]) != "finished"),
                waits: waits[at].clone(),
                notes,
                speed: job.speed,
                charged: Charged { bursts: job.charged, declared: true },
            };
            let page = report.finish(&machine, &closing)?;
            let file = outputs::open(&job.report_file(folder))?;
            reporting::write(file, &reporting::embedded(&page)?)?;
        }
        Ok(())
    }

    /// How far to trust the time of each job, if they do not share cores.
    pub(super) fn trusts(
        &self,
        all: &JobsFigures,
        observed: &[Observed],
        competition: &Competition,
    ) -> Vec<Option<Trust>> {
        let computed_beside = competition.was_felt(true);
        let jobs = self.plan.jobs.iter().zip(&all.jobs).zip(observed);
        jobs.map(|((job, own), seen)| {
            let machine = self.plan.machine_of(job);
            let measurement = match (&job.program, computed_beside) {
                (None, _) => Measurement::Earlier,
                (Some(_), false) => Measurement::Alone,
                (Some(_), true) => Measurement::Beside,
            };
            let computation_ratio = job.charged.then(|| machine.first_slowdown(job.speed));
            let figures = Figures { measurement, computation_ratio, ..self.page_figures(all, own, seen) };
            let is_known = matches!(self.sharing, CoreSharing::Own);
            Trust::of(&figures, &machine, &seen.summary.borrow()).filter(|_| is_known)
        })
        .collect()
    }

    /// The figures of a job, as the page of a run shows them.
    fn page_figures(&self, all: &JobsFigures, own: &JobFigures, seen: &Observed) -> Figures {
        let summary = seen.summary.borrow();
        Figures {
            outcome: own.outcome.clone(),
            simulated_seconds: own.seconds,
            trust: own.trust.clone(),
            wall_seconds: all.wall_seconds,
            ranks: own.ranks as usize,
            messages: own.messages,
            expected_messages: own.messages - summary.unexpected,
            unexpected_messages: summary.unexpected,
            bytes: own.bytes,
            calls: own.calls,
            efficiency: Efficiency::of(&summary, own.ranks as usize, own.seconds),
            model: all.model.clone(),
            platform: all.platform.clone(),
            interconnect: self.plan.machine.platform.network_source().describe(),
            mpi_library: self.plan.machine.model.library_in_words(),
            ranks_as: if seen.lines.is_some() { "processes" } else { "replayed" }.to_owned(),
            ranks_as_because: "beside other jobs".to_owned(),
            warnings: all.warnings.clone(),
            version: all.version.clone(),
            command: all.command.clone(),
            ..Figures::default()
        }
    }
}

/// When the ranks of a job ended.
pub(super) fn ends<'a>(engine: &'a Engine<Ranks>, job: &Job) -> impl Iterator<Item = Time> + 'a {
    let ranks = job.ranks.clone();
    engine.ends().skip(ranks.start as usize).take(ranks.len())
}

/// A note for the page of a job: what was beside it.
fn beside(all: &JobsFigures, own: &JobFigures) -> String {
    let others: Vec<&str> =
        all.jobs.iter().filter(|job| job.name != own.name).map(|job| job.name.as_str()).collect();
    let alone = match (own.alone_seconds, own.slowdown) {
        (Some(alone), Some(slowdown)) => {
            format!("; alone it takes {alone:.9} s, so it takes {slowdown:.3} times as long")
        }
        _ => String::new(),
    };
    match others.is_empty() {
        true => format!("this is job {}, alone on its hosts", own.name),
        false => format!("this is job {}, beside {}{alone}", own.name, others.join(", ")),
    }
}
