//! The folder of a study, which holds everything that must survive a kill.
//!
//! ```text
//! lock            held by the process that drives the study
//! todo/KEY        a case that waits: its specification          │ claimed by renaming
//! running/KEY@W   the same file while worker W runs the case    │ the outcome is added, then renamed
//! done/KEY        its result         failed/KEY   what went wrong
//! cases/KEY/      its files, standard output and standard error
//! workers/W       touched by worker W while it lives
//! ```
//!
//! Every change is one rename, so a process may be killed at any moment: a case is where it was or where it goes. A claim whose worker
//! is gone goes back to `todo`. A result counts whoever else has the case: two workers that run the same case find the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use mpirage_files::OutputFile;
use rustix::fs::{FlockOperation, flock};
use serde::de::DeserializeOwned;

use crate::case::{CaseKey, CaseSpec};
use crate::error::SweepError;
use crate::outcome::Outcome;

/// The folder of a study.
#[derive(Clone, Debug)]
pub struct StudyFolder {
    path: PathBuf,
}

/// Holds the right to drive a study; given back when dropped.
#[derive(Debug)]
pub struct DriverLock {
    _file: File,
}

/// The name of a worker that runs cases: a process here or a task of a batch system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(String);

/// A case that a worker has taken.
#[derive(Debug)]
pub struct Claim {
    spec: CaseSpec,
    file: PathBuf,
}

/// How long to wait for a driver that has just been killed, and between two tries.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_LOOK: Duration = Duration::from_millis(10);

const TODO: &str = "todo";
const RUNNING: &str = "running";
const DONE: &str = "done";
const FAILED: &str = "failed";
const CASES: &str = "cases";
const WORKERS: &str = "workers";

impl WorkerId {
    /// A worker of this name, in which only letters, digits, `-` and `_` are kept.
    pub fn new(name: &str) -> WorkerId {
        let keeps = |letter: &char| letter.is_ascii_alphanumeric() || "-_".contains(*letter);
        WorkerId(name.chars().filter(keeps).collect())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl Claim {
    /// The case.
    pub fn spec(&self) -> &CaseSpec {
        &self.spec
    }
}

impl StudyFolder {
    /// Opens the folder of a study, which is made if it does not exist.
    pub fn create(path: &Path) -> Result<StudyFolder, SweepError> {
        let path = std::path::absolute(path).map_err(SweepError::io(path))?;
        for inner in [TODO, RUNNING, DONE, FAILED, CASES, WORKERS] {
            let inner = path.join(inner);
            fs::create_dir_all(&inner).map_err(SweepError::io(&inner))?;
        }
        Ok(StudyFolder { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a case.
    pub fn case(&self, key: &CaseKey) -> PathBuf {
        self.path.join(CASES).join(key.text())
    }

    /// A file of a worker.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.path.join(WORKERS).join(name)
    }

    /// Takes the right to drive the study. A case that was about to start when its driver was killed keeps the driver's lock until it executes its program.
    pub fn lock(&self) -> Result<DriverLock, SweepError> {
        let path = self.path.join("lock");
        let file = File::options().create(true).append(true).open(&path).map_err(SweepError::io(&path))?;
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(DriverLock { _file: file }),
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(LOCK_LOOK),
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    return Err(SweepError::Busy { folder: self.path.clone() });
                }
                Err(error) => return Err(SweepError::io(&path)(error.into())),
            }
        }
    }

    /// Lets these cases wait, except those that have ended or are running. Cases of other studies no longer wait.
    pub fn fill<'c>(&self, cases: impl Iterator<Item = &'c CaseSpec>) -> Result<(), SweepError> {
        let running: BTreeSet<CaseKey> = self.claims()?.into_iter().map(|(key, ..)| key).collect();
        let ended: BTreeSet<CaseKey> = self.keys(DONE)?.into_iter().chain(self.keys(FAILED)?).collect();
        let mut waiting: BTreeSet<CaseKey> = self.keys(TODO)?.into_iter().collect();
        for spec in cases {
            let key = spec.key();
            let waits = waiting.remove(key);
            if !waits && !ended.contains(key) && !running.contains(key) {
                self.write(&self.path.join(TODO).join(key.text()), spec)?;
            }
        }
        waiting.iter().try_for_each(|key| self.remove(&self.path.join(TODO).join(key.text())))
    }

    /// Takes a case, if it still waits.
    pub fn claim(&self, key: &CaseKey, worker: &WorkerId) -> Result<Option<Claim>, SweepError> {
        let (from, file) = (
            self.path.join(TODO).join(key.text()),
            self.path.join(RUNNING).join(format!("{}@{}", key.text(), worker.0)),
        );
        match fs::rename(&from, &file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            moved => moved.map_err(SweepError::io(&from))?,
        }
        match first_line(&file) {
            Some(spec) => Ok(Some(Claim { spec, file })),
            // Half a specification, after a power failure: the driver writes it again.
            None => self.remove(&file).map(|()| None),
        }
    }

    /// Cases that wait, in the order of their keys.
    pub fn waiting(&self) -> Result<Vec<CaseKey>, SweepError> {
        self.keys(TODO)
    }

    /// Keeps the result of a case.
    pub fn finish(&self, claim: Claim, outcome: &Outcome) -> Result<(), SweepError> {
        let place = self.path.join(if outcome.finished() { DONE } else { FAILED }).join(outcome.key.text());
        // The outcome follows the specification in the same file: a new file would cost more than all else here.
        match append(&claim.file, outcome).and_then(|()| fs::rename(&claim.file, &place)) {
            // This worker was taken for lost, and another one has the case.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.write(&place, outcome),
            kept => kept.map_err(SweepError::io(&place)),
        }
    }

    /// Gives a case back.
    pub fn release(&self, claim: &Claim) -> Result<(), SweepError> {
        self.back_to_todo(&claim.file, claim.spec.key())
    }

    /// Gives back the cases of workers that are lost; says how many.
    pub fn recover(&self, is_lost: impl Fn(&WorkerId) -> bool) -> Result<usize, SweepError> {
        let mut count = 0;
        for (key, worker, file) in self.claims()? {
            if self.path.join(DONE).join(key.text()).exists()
                || self.path.join(FAILED).join(key.text()).exists()
            {
                // The worker was lost between the result and the end of its claim, or is there right now.
                if is_lost(&worker) {
                    self.remove(&file)?;
                }
            } else if is_lost(&worker) {
                self.back_to_todo(&file, &key)?;
                count += 1;
            }
        }
        self.forget(is_lost)?;
        Ok(count)
    }

    /// Workers that have claims.
    pub fn busy_workers(&self) -> Result<BTreeSet<WorkerId>, SweepError> {
        Ok(self.claims()?.into_iter().map(|(_, worker, _)| worker).collect())
    }

    /// Forgets failures, so that their cases run again.
    pub fn forget_failures(&self) -> Result<(), SweepError> {
        self.keys(FAILED)?.iter().try_for_each(|key| self.remove(&self.path.join(FAILED).join(key.text())))
    }

    /// The outcomes of these cases, as far as they have ended. A file that cannot be read counts as no outcome.
    pub fn outcomes<'c>(&self, keys: impl Iterator<Item = &'c CaseKey>) -> BTreeMap<CaseKey, Outcome> {
        let outcome = |key: &'c CaseKey| {
            let at = |place: &str| last_line(&self.path.join(place).join(key.text()));
            Some((key.clone(), at(DONE).or_else(|| at(FAILED))?))
        };
        keys.filter_map(outcome).collect()
    }

    /// Numbers of cases that have ended well, and that have not.
    pub fn ended(&self) -> Result<(usize, usize), SweepError> {
        Ok((self.keys(DONE)?.len(), self.keys(FAILED)?.len()))
    }

    /// Removes files of results that a power failure has cut, so that their cases run again.
    pub fn drop_unreadable(&self) -> Result<(), SweepError> {
        for place in [DONE, FAILED] {
            for key in self.keys(place)? {
                let file = self.path.join(place).join(key.text());
                if last_line::<Outcome>(&file).is_none() {
                    self.remove(&file)?;
                }
            }
        }
        Ok(())
    }

    /// Says that a worker lives.
    pub fn heartbeat(&self, worker: &WorkerId) -> Result<(), SweepError> {
        self.touch(&worker.0).map(|_| ())
    }

    /// How long ago a worker said that it lives, by the clock of the file system; none if it never did.
    pub fn silence(&self, worker: &WorkerId) -> Option<Duration> {
        let heard = fs::metadata(self.path.join(WORKERS).join(&worker.0)).ok()?.modified().ok()?;
        let now = self.touch(".driver").ok()?;
        Some(now.duration_since(heard).unwrap_or_default())
    }

    /// Writes a file, and says when that was. Clocks of machines differ; that of a file server does not.
    fn touch(&self, name: &str) -> Result<SystemTime, SweepError> {
        let path = self.path.join(WORKERS).join(name);
        let written = fs::write(&path, "1\n").and_then(|()| fs::metadata(&path)?.modified());
        written.map_err(SweepError::io(&path))
    }

    /// Forgets workers that have ended, with their files.
    pub fn forget(&self, has_ended: impl Fn(&WorkerId) -> bool) -> Result<(), SweepError> {
        let folder = self.path.join(WORKERS);
        for name in names(&folder)? {
            // NAME says that a worker lives; NAME.THREAD.out and .err are what its cases print.
            let worker = name.split('.').next().unwrap_or_default();
            if !worker.is_empty() && has_ended(&WorkerId::new(worker)) {
                self.remove(&folder.join(&name))?;
            }
        }
        Ok(())
    }

    fn back_to_todo(&self, file: &Path, key: &CaseKey) -> Result<(), SweepError> {
        match fs::rename(file, self.path.join(TODO).join(key.text())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            moved => moved.map_err(SweepError::io(file)),
        }
    }

    fn claims(&self) -> Result<Vec<(CaseKey, WorkerId, PathBuf)>, SweepError> {
        let folder = self.path.join(RUNNING);
        let claim = |name: String| {
            let (key, worker) = name.split_once('@')?;
            Some((CaseKey::parse(key)?, WorkerId::new(worker), folder.join(&name)))
        };
        Ok(names(&folder)?.into_iter().filter_map(claim).collect())
    }

    fn keys(&self, place: &str) -> Result<Vec<CaseKey>, SweepError> {
        let mut keys: Vec<CaseKey> =
            names(&self.path.join(place))?.iter().filter_map(|name| CaseKey::parse(name)).collect();
        keys.sort();
        Ok(keys)
    }

    fn write(&self, path: &Path, value: &impl serde::Serialize) -> Result<(), SweepError> {
        let written = OutputFile::create(path).and_then(|mut file| {
            serde_json::to_writer(&mut file, value)?;
            file.write_all(b"\n")?;
            file.finish()
        });
        written.map_err(SweepError::io(path))
    }

    fn remove(&self, path: &Path) -> Result<(), SweepError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(SweepError::io(path)),
        }
    }
}

fn names(folder: &Path) -> Result<Vec<String>, SweepError> {
    let entries = fs::read_dir(folder).map_err(SweepError::io(folder))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

/// Adds a value to a file, on a line of its own even if the line before was cut.
fn append(path: &Path, value: &impl serde::Serialize) -> io::Result<()> {
    let mut text = vec![b'\n'];
    serde_json::to_writer(&mut text, value)?;
    text.push(b'\n');
    File::options().append(true).open(path)?.write_all(&text)
}

/// The value on the first line of a file.
fn first_line<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(fs::read_to_string(path).ok()?.lines().next()?).ok()
}

/// The value on the last line of a file.
fn last_line<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(fs::read_to_string(path).ok()?.trim_end().lines().next_back()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Ending;
    use crate::study::tests::study;

    fn specs() -> Vec<CaseSpec> {
        let study = study("command = \"run -n {n} ./a\"\n[parameters]\nn = [1, 2, 3]\n").unwrap();
        study.cases().unwrap().iter().map(|case| case.spec().clone()).collect()
    }

    fn outcome(spec: &CaseSpec, ending: Ending) -> Outcome {
        let none = BTreeMap::new;
        Outcome {
            key: spec.key().clone(),
            words: Vec::new(),
            ending,
            figures: none(),
            host: none(),
            machine: String::new(),
            worker: String::new(),
        }
    }

    #[test]
    fn a_case_has_one_worker_and_one_outcome() {
        let (place, specs) = (tempfile::tempdir().unwrap(), specs());
        let folder = StudyFolder::create(place.path()).unwrap();
        let (one, two) = (WorkerId::new("w/1"), WorkerId::new("w2"));
        folder.fill(specs.iter()).unwrap();
        assert_eq!((folder.waiting().unwrap().len(), one.name()), (3, "w1"));
        let first = folder.claim(specs[0].key(), &one).unwrap().unwrap();
        assert!(folder.claim(specs[0].key(), &two).unwrap().is_none());
        folder.finish(first, &outcome(&specs[0], Ending::Finished)).unwrap();
        let second = folder.claim(specs[1].key(), &two).unwrap().unwrap();
        assert_eq!(second.spec(), &specs[1]);
        folder
            .finish(second, &outcome(&specs[1], Ending::Failed { code: 1, reason: String::new() }))
            .unwrap();
        folder.fill(specs.iter()).unwrap();
        assert_eq!(
            (folder.waiting().unwrap(), folder.ended().unwrap()),
            (vec![specs[2].key().clone()], (1, 1))
        );
        folder.forget_failures().unwrap();
        folder.fill(specs.iter().take(2)).unwrap();
        assert_eq!(folder.waiting().unwrap(), [specs[1].key().clone()]);
    }

    #[test]
    fn cases_of_lost_workers_wait_again() {
        let (place, specs) = (tempfile::tempdir().unwrap(), specs());
        let folder = StudyFolder::create(place.path()).unwrap();
        folder.fill(specs.iter()).unwrap();
        let (lost, lives) = (WorkerId::new("lost"), WorkerId::new("lives"));
        let claims = [folder.claim(specs[0].key(), &lost), folder.claim(specs[1].key(), &lives)]
            .map(|claim| claim.unwrap().unwrap());
        assert_eq!(folder.recover(|worker| *worker == lost).unwrap(), 1);
        assert_eq!(folder.waiting().unwrap().len(), 2);
        assert_eq!(folder.busy_workers().unwrap(), BTreeSet::from([lives.clone()]));
        // The lost worker was only slow: its result counts, and the file of its claim is left over.
        let [late, _] = claims;
        folder.finish(late, &outcome(&specs[0], Ending::Finished)).unwrap();
        assert_eq!(folder.ended().unwrap(), (1, 0));
        folder.heartbeat(&lives).unwrap();
        folder.heartbeat(&lost).unwrap();
        fs::write(folder.scratch("lost.0.out"), "x").unwrap();
        folder.recover(|worker| *worker == lost).unwrap();
        assert!(!folder.scratch("lost.0.out").exists());
        assert!(folder.silence(&lives).unwrap() < Duration::from_secs(60) && folder.silence(&lost).is_none());
    }

    #[test]
    fn a_claim_with_half_an_outcome_runs_again() {
        let (place, specs) = (tempfile::tempdir().unwrap(), specs());
        let folder = StudyFolder::create(place.path()).unwrap();
        folder.fill(specs.iter().take(1)).unwrap();
        let worker = WorkerId::new("w");
        let claim = folder.claim(specs[0].key(), &worker).unwrap().unwrap();
        File::options().append(true).open(&claim.file).unwrap().write_all(b"\n{\"key\":\"01").unwrap();
        folder.recover(|_| true).unwrap();
        let again = folder.claim(specs[0].key(), &worker).unwrap().unwrap();
        assert_eq!(again.spec(), &specs[0]);
        let whole = outcome(&specs[0], Ending::Finished);
        folder.finish(again, &whole).unwrap();
        let kept = folder.outcomes([specs[0].key()].into_iter());
        assert_eq!(kept.get(specs[0].key()), Some(&whole));
    }

    #[test]
    fn one_process_drives_a_study() {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::create(place.path()).unwrap();
        let lock = folder.lock().unwrap();
        assert!(matches!(folder.lock(), Err(SweepError::Busy { .. })));
        drop(lock);
        folder.lock().unwrap();
        fs::write(place.path().join("done/0123456789abcdef"), "{\"half\":").unwrap();
        folder.drop_unreadable().unwrap();
        assert_eq!(folder.ended().unwrap(), (0, 0));
    }
}
