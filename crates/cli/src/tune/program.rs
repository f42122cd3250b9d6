//! The collective calls of a program or trace, and what better methods would change for it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;

use anyhow::{Context, anyhow};
use mpirage_collectives::{Choice, Rule};
use mpirage_record::{Recorder, Summary};
use mpirage_simulation::{Interrupt, Machine, TimedReplay, limits, limits::RankKind};
use mpirage_trace::Workload;
use mpirage_tune::{CallCounter, CallGroup, tuned};
use mpirage_units::counted;
use tempfile::TempDir;

use super::bench::machine_of;
use super::subject::Subject;
use crate::arguments::TuneArguments;
use crate::child;
use crate::exit::{Failure, bad_trace, usage};

/// A traced program.
pub struct Program {
    /// As the user names it.
    pub name: String,
    /// Its collective calls.
    pub groups: Vec<CallGroup>,
    /// Its simulated time with the base choice, in seconds.
    pub seconds: f64,
    /// The trace.
    trace: String,
    /// The computation that takes time, as `mpirage replay` reads it.
    compute: Option<String>,
    interrupt: Interrupt,
    /// Where the trace is, if it is a temporary file.
    _folder: Option<TempDir>,
}

impl Program {
    /// Runs the program, if it is one, and replays its trace to count its collective calls.
    pub fn load(
        arguments: &TuneArguments,
        subject: &Subject,
        interrupt: Interrupt,
    ) -> Result<(Machine, Program), Failure> {
        if arguments.sizes.is_some() {
            return Err(usage("--sizes is for collectives: a program has its own sizes"));
        }
        let (name, trace, folder) = match subject {
            Subject::Trace(trace) => (trace.clone(), trace.clone(), None),
            Subject::Program(words) => {
                let (trace, folder) = record(arguments, words, interrupt)?;
                (words[0].to_string_lossy().into_owned(), trace, Some(folder))
            }
            Subject::Collectives(_) => return Err(usage("collectives have no calls of their own")),
        };
        let workload = mpirage_trace::open(&trace).map_err(bad_trace)?;
        let ranks = workload.ranks();
        limits::check_ranks(&trace, ranks.into(), RankKind::Replayed)?;
        if let Some(n) = arguments.n.filter(|&n| n != ranks) {
            return Err(usage(format!("-n {n}: {trace} has {}; leave out -n", counted(ranks, "rank"))));
        }
        let machine = machine_of(arguments, Some(ranks))?;
        // The run has applied `--compute` already: its trace says how computation counts.
        let compute = if folder.is_some() { None } else { arguments.compute.clone() };
        let mut program =
            Program { name, groups: Vec::new(), seconds: 0.0, trace, compute, interrupt, _folder: folder };
        let counter = Rc::new(RefCell::new(CallCounter::new(ranks)));
        let base = machine.collectives.clone();
        program.seconds = program.replay(workload, &machine, base, Box::new(Rc::clone(&counter)))?;
        program.groups = counter.borrow().groups();
        if program.groups.is_empty() {
            return Err(usage(format!("{} calls no collective of several ranks", program.name)));
        }
        Ok((machine, program))
    }

    /// The simulated time of the program with these rules before the base choice, in seconds.
    pub fn seconds_with(&self, rules: &[Rule], machine: &Machine) -> Result<f64, Failure> {
        let workload = mpirage_trace::open(&self.trace).map_err(bad_trace)?;
        let choice = tuned(&machine.collectives, rules);
        self.replay(workload, machine, choice, Box::new(Summary::default()))
    }

    fn replay(
        &self,
        mut workload: Box<dyn Workload>,
        machine: &Machine,
        collectives: Choice,
        recorder: Box<dyn Recorder>,
    ) -> Result<f64, Failure> {
        let (compute, interrupt) = (self.compute.as_deref(), self.interrupt);
        let timed = TimedReplay { name: &self.trace, compute, host_speed: None, interrupt };
        timed.seconds(workload.as_mut(), machine, collectives, recorder)
    }
}

/// Runs the program and keeps its trace in a temporary folder.
fn record(
    arguments: &TuneArguments,
    words: &[OsString],
    interrupt: Interrupt,
) -> Result<(String, TempDir), Failure> {
    let ranks = arguments.n.ok_or_else(|| usage("-n is missing: how many ranks has the program?"))?;
    let folder =
        tempfile::Builder::new().prefix("mpirage-").tempdir().context("cannot make a temporary folder")?;
    let trace = folder.path().join("program.mpirage");
    let mut run: Vec<OsString> = vec!["-q".into(), "-n".into(), ranks.to_string().into()];
    run.extend(arguments.machine.to_words());
    if let Some(compute) = &arguments.compute {
        run.extend(["--compute".into(), compute.into()]);
    }
    run.extend(["--trace".into(), trace.clone().into()]);
    run.extend(words.iter().cloned());
    let ended = child::run("run", &run, &[], interrupt)?;
    if !ended.succeeded() {
        let said = ended.said.trim_end();
        return Err(Failure { code: ended.code(), error: anyhow!("the program failed:\n{said}") });
    }
    Ok((trace.to_string_lossy().into_owned(), folder))
}
