//! `--repeat N`: the same calls with other random numbers, N times on all cores of this machine.
//!
//! A program runs once and its calls are recorded; the further runs replay them. So its calls are the same in all runs, even where
//! the program would have chosen others at other times.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::Context;
use mpirage_record::Summary;
use tempfile::TempDir;

use crate::failure::{Failure, bad_trace};
use crate::interrupt::Interrupt;
use crate::machine::{Machine, MachineRequest};
use crate::outputs::OutputRequest;
use crate::spread::Spread;
use crate::traced::TimedReplay;

/// The request for further runs of a replay.
pub struct Repetition<'a> {
    /// The number of runs, the first included.
    pub runs: u32,
    /// The trace.
    pub trace: &'a str,
    /// The machine.
    pub machine: &'a MachineRequest,
    /// The computation that takes time and the speed of the machine that measured it, as `mpirage replay` reads the options.
    pub compute: Option<&'a str>,
    /// See above.
    pub host_speed: Option<&'a str>,
}

/// A temporary trace of a program that is to be repeated.
pub struct TemporaryTrace {
    /// The trace.
    pub file: PathBuf,
    _folder: TempDir,
}

impl TemporaryTrace {
    /// Lets a run write the trace besides its other outputs.
    pub fn add_to(outputs: &mut OutputRequest) -> Result<TemporaryTrace, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("mpirage-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        let file = folder.path().join("program.mpirage");
        outputs.trace.push(file.clone());
        Ok(TemporaryTrace { file, _folder: folder })
    }
}

/// A warning if all runs would take the same time.
pub fn doubt(runs: Option<u32>, machine: &Machine) -> Option<String> {
    (runs.is_some() && !machine.model.is_random()).then(|| {
        format!(
            "--repeat: model `{}` has no noise, so all runs take the same time; write \
             `noise = {{ computation, message, start }}` into [model]",
            machine.model.name
        )
    })
}

impl Repetition<'_> {
    /// The times of all runs, of which the first took `first` seconds.
    pub fn spread(&self, first: f64, machine: &Machine, interrupt: Interrupt) -> Result<Spread, Failure> {
        let seed = self.machine.seed;
        if !machine.model.is_random() {
            return Ok(Spread::of(vec![first; self.runs as usize], seed));
        }
        let times = Mutex::new(vec![first; self.runs as usize]);
        let (next, failure) = (AtomicU32::new(1), Mutex::new(None));
        let work = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= self.runs {
                    return;
                }
                match self.once(seed.wrapping_add(run.into()), interrupt) {
                    Ok(time) => locked(&times)[run as usize] = time,
                    Err(error) => {
                        next.store(self.runs, Ordering::Relaxed);
                        locked(&failure).get_or_insert(error);
                    }
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(self.runs as usize);
        thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        match failure.into_inner().unwrap_or_default() {
            Some(failure) => Err(failure),
            None => Ok(Spread::of(times.into_inner().unwrap_or_default(), seed)),
        }
    }

    /// One further run, in seconds of simulated time.
    fn once(&self, seed: u64, interrupt: Interrupt) -> Result<f64, Failure> {
        let mut workload = mpirage_trace::open(self.trace).map_err(bad_trace)?;
        let request = MachineRequest { seed, ..self.machine.clone() };
        let mut machine = Machine::new(&request, workload.ranks())?;
        let timed =
            TimedReplay { name: self.trace, compute: self.compute, host_speed: self.host_speed, interrupt };
        let collectives = std::mem::take(&mut machine.collectives);
        timed.seconds(workload.as_mut(), &machine, collectives, Box::new(Summary::default()))
    }
}

/// A lock that a panic of another run does not poison: that panic is shown anyway.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
