//! Workers as the tasks of a Slurm job array. All see the folder of the study; each takes the next case that waits.
//!
//! ```text
//! driver ── sbatch --array ──► tasks: mpirage sweep FOLDER --worker slurm-JOB_TASK
//!    │                             │ claim by rename, run, keep the result, until none waits
//!    │ recover: claims of workers that Slurm no longer knows, or that are silent
//!    │ none left in the queue and cases wait: another array
//!    ▼
//! all cases have ended
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use mpirage_units::counted;

use crate::error::SweepError;
use crate::folder::{StudyFolder, WorkerId};
use crate::study::Study;
use mpirage_system::quoted;

/// How often the driver looks.
const LOOK: Duration = Duration::from_millis(500);
/// How often it asks Slurm.
const ASK: Duration = Duration::from_secs(2);
/// Arrays in a row after which no case has ended; then something is wrong with the cluster.
const FRUITLESS: u32 = 3;
/// How names of workers begin.
const PREFIX: &str = "slurm-";

/// The request to Slurm.
#[derive(Clone, Debug)]
pub struct SlurmPlan {
    /// This program, by a path that all nodes know.
    pub program: PathBuf,
    /// Tasks of the array.
    pub workers: u32,
    /// Options of sbatch.
    pub options: Vec<String>,
    /// Further arguments of each worker, such as `--jobs 4`.
    pub worker_arguments: Vec<String>,
    /// A worker that is silent for so long is lost.
    pub lost_after: Duration,
}

/// Follows the progress of a study, and decides whether to stop it.
pub trait SlurmWatch {
    /// So many cases have ended.
    fn ended(&self, cases: usize);
    /// Something that a user may want to know.
    fn note(&self, text: &str);
    /// True if the user wants to stop.
    fn interrupted(&self) -> bool;
}

/// Drives a study by job arrays.
pub struct Slurm<'a> {
    folder: &'a StudyFolder,
    plan: SlurmPlan,
    watch: &'a dyn SlurmWatch,
}

/// A job array, by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ArrayId(String);

impl Study {
    /// The options of sbatch that the study has.
    pub fn batch_options(&self) -> &[String] {
        &self.batch.options
    }
}

impl<'a> Slurm<'a> {
    /// A driver.
    pub fn new(folder: &'a StudyFolder, plan: SlurmPlan, watch: &'a dyn SlurmWatch) -> Slurm<'a> {
        Slurm { folder, plan, watch }
    }

    /// Runs until all cases have ended, or until the user stops it; then its jobs are cancelled.
    pub fn drive(&self) -> Result<(), SweepError> {
        let mut fruitless = 0;
        while self.is_unfinished()? && !self.watch.interrupted() {
            if self.folder.waiting()?.is_empty() {
                // Workers of an earlier driver have the rest.
                self.recover(None)?;
                thread::sleep(LOOK);
                continue;
            }
            let before = self.ended()?;
            let array = self.submit()?;
            self.follow(&array)?;
            fruitless = if self.ended()? > before { 0 } else { fruitless + 1 };
            if fruitless == FRUITLESS && self.is_unfinished()? {
                let logs = self.folder.path().join(LOGS);
                return Err(SweepError::Batch(format!(
                    "{FRUITLESS} job arrays ended without the end of a case; see {}",
                    logs.display()
                )));
            }
        }
        Ok(())
    }

    /// Waits until the tasks of an array have ended, and gives back the cases of those that are lost.
    fn follow(&self, array: &ArrayId) -> Result<(), SweepError> {
        let mut asked: Option<Instant> = None;
        loop {
            if self.watch.interrupted() {
                cancel(array);
                return self.recover(Some((array, &BTreeSet::new()))).map(|_| ());
            }
            if asked.is_none_or(|asked| asked.elapsed() >= ASK) {
                asked = Some(Instant::now());
                // A controller that does not answer is asked again; heartbeats go on without it.
                let Some(alive) = tasks(array) else { continue };
                self.recover(Some((array, &alive)))?;
                if alive.is_empty() {
                    return Ok(());
                }
            }
            self.watch.ended(self.ended()?);
            thread::sleep(LOOK);
        }
    }

    /// Gives back the cases of workers that are silent, or that belong to an array and are not among its living tasks.
    fn recover(&self, of: Option<(&ArrayId, &BTreeSet<String>)>) -> Result<usize, SweepError> {
        let is_silent = |worker: &WorkerId| {
            self.folder.silence(worker).is_none_or(|silence| silence > self.plan.lost_after)
        };
        let is_gone = |worker: &WorkerId| {
            let task = worker.name().strip_prefix(PREFIX).unwrap_or_default();
            of.is_some_and(|(array, alive)| task.split('_').next() == Some(&array.0) && !alive.contains(task))
        };
        let is_lost = |worker: &WorkerId| is_gone(worker) || is_silent(worker);
        let count = self.folder.recover(is_lost)?;
        if count > 0 {
            self.watch.note(&format!("{} of lost workers run again", counted(count, "case")));
        }
        Ok(count)
    }

    fn ended(&self) -> Result<usize, SweepError> {
        let (finished, failed) = self.folder.ended()?;
        Ok(finished + failed)
    }

    fn is_unfinished(&self) -> Result<bool, SweepError> {
        Ok(!self.folder.waiting()?.is_empty() || !self.folder.busy_workers()?.is_empty())
    }

    fn submit(&self) -> Result<ArrayId, SweepError> {
        let (script, logs) = (self.folder.path().join("worker.sh"), self.folder.path().join(LOGS));
        std::fs::create_dir_all(&logs).map_err(SweepError::io(&logs))?;
        std::fs::write(&script, self.script()).map_err(SweepError::io(&script))?;
        let waiting = self.folder.waiting()?.len() as u32;
        let last = self.plan.workers.min(waiting.max(1)) - 1;
        let mut command = Command::new("sbatch");
        command.arg("--parsable").arg(format!("--array=0-{last}"));
        command.args(["--job-name=mpirage-sweep", "--open-mode=append"]);
        command.arg(format!("--output={}", logs.join("%a.log").display()));
        command.args(&self.plan.options).arg(&script);
        let printed = output_of(command)?;
        // With a cluster's name: `12;name`.
        let number = printed.trim().split(';').next().unwrap_or_default().to_owned();
        self.watch.note(&format!("Slurm job {number}: {} workers", last + 1));
        Ok(ArrayId(number))
    }

    fn script(&self) -> String {
        let own = |path: &Path| path.display().to_string();
        let words = [own(&self.plan.program), "sweep".to_owned(), own(self.folder.path())];
        let words = words.iter().chain(&self.plan.worker_arguments).map(String::as_str);
        let line = quoted(words);
        format!(
            "#!/bin/sh\nexec {line} --worker \"{PREFIX}${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}\"\n"
        )
    }
}

/// The folder of the workers' output.
const LOGS: &str = "slurm";

/// The tasks of an array that wait or run, as `JOB_TASK`; none if Slurm does not answer.
fn tasks(array: &ArrayId) -> Option<BTreeSet<String>> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--format=%F_%K", "--jobs", &array.0]);
    match command.output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some(text.split_whitespace().map(str::to_owned).collect())
        }
        // A job that has ended long ago is no longer known.
        Ok(output) if String::from_utf8_lossy(&output.stderr).contains("Invalid job id") => {
            Some(BTreeSet::new())
        }
        _ => None,
    }
}

fn cancel(array: &ArrayId) {
    let _ = Command::new("scancel").arg(&array.0).output();
}

fn output_of(mut command: Command) -> Result<String, SweepError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        SweepError::Batch(format!(
            "cannot run {name}: {error}; --engine slurm needs Slurm's commands on PATH"
        ))
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            Err(SweepError::Batch(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;

    impl SlurmWatch for Nobody {
        fn ended(&self, _: usize) {}
        fn note(&self, _: &str) {}
        fn interrupted(&self) -> bool {
            false
        }
    }

    fn plan() -> SlurmPlan {
        SlurmPlan {
            program: PathBuf::from("/opt/my tools/mpirage"),
            workers: 2,
            options: Vec::new(),
            worker_arguments: vec!["--jobs".to_owned(), "3".to_owned()],
            lost_after: Duration::from_secs(60),
        }
    }

    #[test]
    fn workers_know_their_names() {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::create(place.path()).unwrap();
        let script = Slurm::new(&folder, plan(), &Nobody).script();
        assert!(script.contains("exec '/opt/my tools/mpirage' sweep /"), "{script}");
        assert!(
            script.ends_with("--jobs 3 --worker \"slurm-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"),
            "{script}"
        );
    }

    #[test]
    fn claims_of_lost_workers_are_given_back() {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::create(place.path()).unwrap();
        let study =
            crate::study::tests::study("command = \"run {n}\"\n[parameters]\nn = [1, 2, 3]\n").unwrap();
        let cases = study.cases().unwrap();
        folder.fill(cases.iter().map(|case| case.spec())).unwrap();
        let workers = ["slurm-7_0", "slurm-7_1", "slurm-7_2"].map(WorkerId::new);
        for (case, worker) in cases.iter().zip(&workers) {
            folder.claim(case.key(), worker).unwrap().unwrap();
        }
        // The first is known and has a heartbeat; the second has none; the third is unknown to Slurm.
        folder.heartbeat(&workers[0]).unwrap();
        folder.heartbeat(&workers[2]).unwrap();
        let (array, alive) = (ArrayId("7".to_owned()), BTreeSet::from(["7_0".to_owned(), "7_1".to_owned()]));
        let slurm = Slurm::new(&folder, plan(), &Nobody);
        assert_eq!(slurm.recover(Some((&array, &alive))).unwrap(), 2);
        assert_eq!(folder.busy_workers().unwrap(), BTreeSet::from([workers[0].clone()]));
        // Of another array, heartbeats decide.
        assert_eq!(slurm.recover(Some((&ArrayId("8".to_owned()), &BTreeSet::new()))).unwrap(), 0);
        assert_eq!(slurm.recover(None).unwrap(), 0);
    }
}
