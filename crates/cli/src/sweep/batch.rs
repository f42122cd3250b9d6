//! `--engine slurm`: workers as jobs of a batch system.

use std::time::Duration;

use anyhow::Context;
use mpirage_simulation::Interrupt;
use mpirage_sweep::{Slurm, SlurmPlan, SlurmWatch, Study, StudyFolder};

use super::failed;
use super::show::CaseProgress;
use crate::arguments::SweepArguments;
use crate::exit::Failure;

/// Workers if neither the study nor the user says how many.
const WORKERS: u32 = 4;

/// Runs the waiting cases of a study as jobs of Slurm.
pub fn run(
    arguments: &SweepArguments,
    study: &Study,
    folder: &StudyFolder,
    interrupt: Interrupt,
) -> Result<(), Failure> {
    let (finished, failures) = folder.ended().map_err(failed)?;
    let waiting = folder.waiting().map_err(failed)?.len();
    let progress = CaseProgress::new(waiting, arguments.quiet);
    let watch = Watch { progress: &progress, before: finished + failures, interrupt, quiet: arguments.quiet };
    let driven = Slurm::new(folder, plan(arguments, study)?, &watch).drive();
    progress.finish();
    driven.map_err(failed)
}

fn plan(arguments: &SweepArguments, study: &Study) -> Result<SlurmPlan, Failure> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let given = [
        ("--jobs", arguments.jobs.map(|jobs| jobs.to_string())),
        ("--memory", arguments.memory.clone()),
        ("--timeout", arguments.timeout.map(|seconds| seconds.to_string())),
    ];
    let words = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
    Ok(SlurmPlan {
        program,
        workers: arguments.workers.or(study.workers()).unwrap_or(WORKERS),
        options: study.batch_options().iter().chain(&arguments.slurm_option).cloned().collect(),
        worker_arguments: words.flatten().collect(),
        lost_after: Duration::from_secs_f64(arguments.lost_after),
    })
}

struct Watch<'a> {
    progress: &'a CaseProgress,
    /// Cases that had ended before.
    before: usize,
    interrupt: Interrupt,
    quiet: bool,
}

impl SlurmWatch for Watch<'_> {
    fn ended(&self, cases: usize) {
        self.progress.set(cases.saturating_sub(self.before));
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            self.progress.note(text);
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.came()
    }
}
