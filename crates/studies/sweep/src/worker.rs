//! Runs cases: each is a process of mpirage that writes its result as JSON.

use std::fs;
use std::io;
use std::num::NonZero;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use serde_json::Value;

use crate::case::{CaseKey, CaseSpec};
use crate::error::SweepError;
use crate::folder::{Claim, StudyFolder, WorkerId};
use crate::memory::{Budget, Ticket, Verdict, held_by};
use crate::outcome::{Ending, Outcome, numbers};
use crate::scratch::{STDERR, Scratch};

/// How often a running case is looked at, besides when it ends.
const LOOK: Duration = Duration::from_millis(100);
/// How long a process may take to end itself.
const GRACE: Duration = Duration::from_secs(2);
/// How often a worker says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How much later than a case its worker may learn of a signal to both.
const REACTION: Duration = Duration::from_secs(1);
/// Bytes of standard error that are kept with a failure.
const KEPT: usize = 2000;

/// Starts processes, and knows whether the user wants to stop.
pub trait Launcher: Sync {
    /// The command `mpirage` with these words.
    fn command(&self, words: &[String]) -> io::Result<Command>;
    /// True if no more cases shall be started, and running ones stopped.
    fn interrupted(&self) -> bool;
}

/// Follows what a worker does.
pub trait Watch: Sync {
    /// A case has ended.
    fn ended(&self, outcome: &Outcome);
    /// A case was stopped because others need its memory; it runs again later.
    fn postponed(&self, key: &CaseKey);
}

/// Limits on the cases' use of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cases at the same time.
    pub jobs: NonZero<usize>,
    /// Bytes of memory, of all cases together.
    pub memory: u64,
    /// Seconds of real time of one case.
    pub timeout: Option<Duration>,
}

/// Works on the cases of a study.
pub struct Worker<'a> {
    folder: &'a StudyFolder,
    id: WorkerId,
    limits: Limits,
    budget: Budget,
    launcher: &'a dyn Launcher,
    watch: &'a dyn Watch,
    machine: String,
}

/// How an attempt to run a case ended.
enum Attempt {
    Ended(Box<Outcome>),
    /// The case was stopped and waits again.
    Postponed,
    /// The user stops the study.
    Interrupted,
}

/// Why a process was stopped.
enum Stop {
    No,
    Interrupted,
    Timeout,
    Yield,
    TooLarge,
}

impl<'a> Worker<'a> {
    /// A worker of a study.
    pub fn new(
        folder: &'a StudyFolder,
        id: WorkerId,
        limits: Limits,
        launcher: &'a dyn Launcher,
        watch: &'a dyn Watch,
    ) -> Worker<'a> {
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Worker { folder, id, limits, budget: Budget::new(limits.memory), launcher, watch, machine }
    }

    /// Runs cases until none waits. These come first, in this order.
    pub fn work(&self, first: Vec<CaseKey>) -> Result<(), SweepError> {
        self.folder.heartbeat(&self.id)?;
        let queue = Mutex::new(first.into_iter().rev().collect::<Vec<_>>());
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            let (working, all_ended) = channel::<()>();
            for thread in 0..self.limits.jobs.get() {
                let (working, queue, failure) = (working.clone(), &queue, &failure);
                scope.spawn(move || {
                    let scratch = Scratch::new(self.folder, &self.id, thread);
                    if let Err(error) = self.run_all(queue, &scratch) {
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                    drop(working);
                });
            }
            drop(working);
            while all_ended.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                // A heart that misses a beat is no reason to stop: the next one may come through.
                let _ = self.folder.heartbeat(&self.id);
            }
        });
        self.folder.forget(|worker| *worker == self.id)?;
        let failed = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(()), Err)
    }

    fn run_all(&self, queue: &Mutex<Vec<CaseKey>>, scratch: &Scratch) -> Result<(), SweepError> {
        while !self.launcher.interrupted() {
            let Some(ticket) = self.budget.admit(LOOK) else { continue };
            let Some(claim) = self.next(queue)? else {
                self.budget.leave(ticket, 0);
                return Ok(());
            };
            let attempt = self.run(claim.spec(), ticket, scratch);
            let peak = match &attempt {
                Ok(Attempt::Ended(outcome)) => outcome.memory(),
                _ => 0,
            };
            self.budget.leave(ticket, peak);
            self.close(claim, attempt?, queue)?;
        }
        Ok(())
    }

    /// The next case: of the queue, or of those that still wait in the folder.
    fn next(&self, queue: &Mutex<Vec<CaseKey>>) -> Result<Option<Claim>, SweepError> {
        loop {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            if queue.is_empty() {
                *queue = self.folder.waiting()?;
                queue.reverse();
            }
            let Some(key) = queue.pop() else { return Ok(None) };
            drop(queue);
            if let Some(claim) = self.folder.claim(&key, &self.id)? {
                return Ok(Some(claim));
            }
        }
    }

    fn close(&self, claim: Claim, attempt: Attempt, queue: &Mutex<Vec<CaseKey>>) -> Result<(), SweepError> {
        match attempt {
            Attempt::Ended(outcome) => {
                self.folder.finish(claim, &outcome)?;
                self.watch.ended(&outcome);
            }
            Attempt::Postponed => {
                self.folder.release(&claim)?;
                self.watch.postponed(claim.spec().key());
                let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                queue.insert(0, claim.spec().key().clone());
            }
            Attempt::Interrupted => self.folder.release(&claim)?,
        }
        Ok(())
    }

    fn run(&self, spec: &CaseSpec, ticket: Ticket, scratch: &Scratch) -> Result<Attempt, SweepError> {
        let folder = self.folder.case(spec.key());
        spec.prepare(&folder).map_err(SweepError::io(&folder))?;
        let words = command_line(spec, &folder, self.limits.jobs);
        let started = Instant::now();
        let mut child = self.start(&words, spec, scratch)?;
        let (status, stop) = self.wait(&mut child, ticket, started).map_err(SweepError::Start)?;
        if matches!(stop, Stop::No) && by_signal(status) && self.is_ending() {
            return Ok(Attempt::Interrupted);
        }
        let result = scratch.keep(&folder).map_err(SweepError::io(&folder))?;
        let ending = match stop {
            Stop::Interrupted => return Ok(Attempt::Interrupted),
            Stop::Yield => return Ok(Attempt::Postponed),
            Stop::Timeout => stopped(status, "it took longer than --timeout"),
            Stop::TooLarge => stopped(status, "it needs more memory than --memory allows"),
            Stop::No if status.success() && result.is_some() => Ending::Finished,
            Stop::No => failed(status, &folder),
        };
        Ok(Attempt::Ended(Box::new(self.outcome(spec, words, ending, result.as_ref(), started.elapsed()))))
    }

    /// True if a signal asks this process to end. Terminals and batch systems signal all processes at once, and the case may be the first to react.
    fn is_ending(&self) -> bool {
        let seen = Instant::now();
        while seen.elapsed() < REACTION && !self.launcher.interrupted() {
            thread::sleep(Duration::from_millis(10));
        }
        self.launcher.interrupted()
    }

    fn start(&self, words: &[String], spec: &CaseSpec, scratch: &Scratch) -> Result<Child, SweepError> {
        let mut command = self.launcher.command(words).map_err(SweepError::Start)?;
        command.current_dir(&spec.run_in).stdin(Stdio::null());
        let (out, err) = scratch.open()?;
        command.stdout(out).stderr(err).spawn().map_err(SweepError::Start)
    }

    /// Waits until a process has ended, or must not go on.
    fn wait(&self, child: &mut Child, ticket: Ticket, started: Instant) -> io::Result<(ExitStatus, Stop)> {
        let handle = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok();
        loop {
            pause(handle.as_ref());
            if let Some(status) = child.try_wait()? {
                return Ok((status, Stop::No));
            }
            let stop = match self.budget.report(ticket, held_by(child.id())) {
                _ if self.launcher.interrupted() => Stop::Interrupted,
                _ if self.limits.timeout.is_some_and(|limit| started.elapsed() > limit) => Stop::Timeout,
                Verdict::Yield => Stop::Yield,
                Verdict::TooLarge => Stop::TooLarge,
                Verdict::GoOn => continue,
            };
            return Ok((end(child)?, stop));
        }
    }

    fn outcome(
        &self,
        spec: &CaseSpec,
        words: Vec<String>,
        ending: Ending,
        result: Option<&Value>,
        took: Duration,
    ) -> Outcome {
        let (figures, mut host) = result.map(numbers).unwrap_or_default();
        host.insert("case_seconds".to_owned(), took.as_secs_f64());
        Outcome {
            key: spec.key().clone(),
            words,
            ending,
            figures,
            host,
            machine: self.machine.clone(),
            worker: self.id.name().to_owned(),
        }
    }
}

/// Waits until the process of a handle ends, at most [`LOOK`].
fn pause(handle: Option<&rustix::fd::OwnedFd>) {
    let Some(handle) = handle else { return thread::sleep(LOOK) };
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    let _ = poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&patience));
}

/// Ends a process: politely first, so that it can remove its files.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()
}

/// True if a process was ended from outside, or says so.
fn by_signal(status: ExitStatus) -> bool {
    let asks = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM].map(|signal| 128 + signal.as_raw());
    asks.contains(&code(status))
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn stopped(status: ExitStatus, reason: &str) -> Ending {
    Ending::Failed { code: code(status), reason: format!("stopped: {reason}") }
}

fn failed(status: ExitStatus, folder: &Path) -> Ending {
    let said = fs::read(folder.join(STDERR)).unwrap_or_default();
    let tail = &said[said.len().saturating_sub(KEPT)..];
    let reason = match (String::from_utf8_lossy(tail).trim(), status.signal()) {
        ("", Some(signal)) => format!("ended by signal {signal}"),
        ("", None) => "it wrote no result".to_owned(),
        (text, _) => text.to_owned(),
    };
    Ending::Failed { code: code(status), reason }
}

/// The words of a case: those of the study, and those that make the result the last line of standard output. `jobs` cases run at a time.
pub fn command_line(spec: &CaseSpec, folder: &Path, jobs: NonZero<usize>) -> Vec<String> {
    let mut words = spec.words(folder);
    let has = |words: &[String], option: &str| {
        words.iter().any(|word| word == option || word.starts_with(&format!("{option}=")))
    };
    let mut added = vec!["-q".to_owned(), "--json".to_owned()];
    // Cases share the cores; simulated time does not depend on how many a run takes.
    if jobs.get() > 1 && words.first().is_some_and(|first| first == "run") && !has(&words, "--cores") {
        added.extend(["--cores".to_owned(), "1".to_owned()]);
    }
    words.splice(1..1, added);
    words
}
