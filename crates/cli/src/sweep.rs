//! `mpirage sweep`: one command with many values of its parameters.

mod batch;
mod launch;
mod show;

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use mpirage_sweep::{
    Case, Limits, Results, Study, StudyFolder, SweepError, Worker, WorkerId, available_memory, unfinished,
    write_page,
};
use mpirage_units::BYTES;

use crate::arguments::{Engine, SweepArguments};
use crate::exit::{self, Failure, usage};
use launch::OwnProgram;
pub use launch::end_with_parent;
use mpirage_simulation::{Interrupt, words::count};
use show::CaseProgress;

/// Of the memory that is free, cases may take this part unless the user says otherwise.
const FREE_PART: f64 = 0.8;

/// Runs a study, or lists its cases.
pub fn command(arguments: &SweepArguments) -> Result<u8, Failure> {
    if let Some(name) = &arguments.worker {
        return work(arguments, name);
    }
    let study = Study::read(&arguments.study).map_err(failed)?;
    let cases = study.cases().map_err(failed)?;
    if cases.is_empty() {
        return Err(usage(format!("{}: `only` and `exclude` leave no case over", arguments.study.display())));
    }
    if arguments.dry_run {
        cases.iter().for_each(|case| show::list(&study, case));
        let jobs = limits(arguments)?.jobs;
        return cases.iter().try_for_each(|case| launch::check(case, jobs)).map(|()| 0);
    }
    let folder = StudyFolder::create(&place(arguments)).map_err(failed)?;
    let _lock = folder.lock().map_err(failed)?;
    let interrupt = Interrupt::watch()?;
    begin(&folder, &cases, arguments).map_err(failed)?;
    match arguments.engine {
        Engine::Local => run_here(arguments, &folder, &cases, interrupt)?,
        Engine::Slurm => batch::run(arguments, &study, &folder, interrupt)?,
    }
    end(&study, &cases, &folder, arguments, interrupt)
}

/// Where the folder of a study is if the user does not say it.
fn place(arguments: &SweepArguments) -> PathBuf {
    arguments.output.clone().unwrap_or_else(|| arguments.study.with_extension("sweep"))
}

/// Lets all cases wait that have no result yet.
fn begin(folder: &StudyFolder, cases: &[Case], arguments: &SweepArguments) -> Result<(), SweepError> {
    let is_silent = |worker: &WorkerId| {
        folder.silence(worker).is_none_or(|silence| silence.as_secs_f64() > arguments.lost_after)
    };
    // Of processes on this machine, only the one that holds the lock runs cases.
    folder.recover(|worker| worker.name().starts_with(LOCAL) || is_silent(worker))?;
    folder.drop_unreadable()?;
    if arguments.retry {
        folder.forget_failures()?;
    }
    folder.fill(cases.iter().map(Case::spec))
}

/// How names of workers on this machine begin.
const LOCAL: &str = "local-";

fn run_here(
    arguments: &SweepArguments,
    folder: &StudyFolder,
    cases: &[Case],
    interrupt: Interrupt,
) -> Result<(), Failure> {
    let waiting = unfinished(cases, folder);
    let progress = CaseProgress::new(waiting.len(), arguments.quiet);
    let launcher = OwnProgram::new(interrupt)?;
    let id = WorkerId::new(&format!("{LOCAL}{}", std::process::id()));
    let worked = Worker::new(folder, id, limits(arguments)?, &launcher, &progress).work(waiting);
    progress.finish();
    worked.map_err(failed)
}

/// Works on the cases of a folder as one of several workers.
fn work(arguments: &SweepArguments, name: &str) -> Result<u8, Failure> {
    let folder = StudyFolder::create(&arguments.study).map_err(failed)?;
    let interrupt = Interrupt::watch()?;
    let launcher = OwnProgram::new(interrupt)?;
    let progress = CaseProgress::new(0, true);
    let worker = Worker::new(&folder, WorkerId::new(name), limits(arguments)?, &launcher, &progress);
    worker.work(Vec::new()).map_err(failed)?;
    interrupt.check().map(|()| 0)
}

fn limits(arguments: &SweepArguments) -> Result<Limits, Failure> {
    let free = || available_memory().map_or(u64::MAX, |free| (free as f64 * FREE_PART) as u64);
    let memory = match &arguments.memory {
        Some(text) => BYTES.read(text).map_err(|error| usage(format!("--memory: {error}")))?.value() as u64,
        None => free(),
    };
    let jobs = arguments
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN));
    Ok(Limits { jobs, memory, timeout: arguments.timeout.map(Duration::from_secs_f64) })
}

/// Writes the tables and the page, and says what there is.
fn end(
    study: &Study,
    cases: &[Case],
    folder: &StudyFolder,
    arguments: &SweepArguments,
    interrupt: Interrupt,
) -> Result<u8, Failure> {
    let results = Results::collect(study, cases, folder);
    results.write(study, folder.path()).map_err(failed)?;
    write_page(study, &results, folder.path()).map_err(failed)?;
    let failures = results.failed().count();
    if !arguments.quiet {
        show::print(study, &results, &place(arguments));
    }
    show::warnings(study, &results);
    if let Err(failure) = interrupt.check() {
        let left = cases.len() - results.finished().count() - failures;
        let error = failure
            .error
            .context(format!("{} left; the same command goes on from here", count(left as u64, "case")));
        return Err(Failure { error, ..failure });
    }
    Ok(if failures > 0 { exit::CASES_FAILED } else { 0 })
}

fn failed(error: SweepError) -> Failure {
    match error {
        SweepError::Study(error) => usage(format!("the study cannot be used\n{error}")),
        error => usage(error),
    }
}
