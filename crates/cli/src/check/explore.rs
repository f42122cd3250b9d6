//! The runs of a check, one after the other, and what follows from their differences.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::time::Duration;

use anyhow::Context;
use mpirage_call::FindingClass;
use mpirage_check::{Finding, Report};
use mpirage_simulation::Interrupt;
use mpirage_simulation::check::{Alternative, Choice, Eager, Settings, Told};

use super::single::{self, Ran};
use crate::arguments::CheckArguments;
use crate::exit::Failure;

/// All runs of a check.
pub struct Exploration<'a> {
    typed: &'a [OsString],
    arguments: &'a CheckArguments,
    interrupt: Interrupt,
    folder: tempfile::TempDir,
    report: Report,
    /// The classes of failures of the first run.
    known_failures: Vec<FindingClass>,
    /// A hash of the output of the first run.
    output: u64,
}

impl<'a> Exploration<'a> {
    pub fn new(typed: &'a [OsString], arguments: &'a CheckArguments) -> Result<Exploration<'a>, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("mpirage-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        let program = arguments.run.program.first().map(|name| name.to_string_lossy().into_owned());
        Ok(Exploration {
            typed,
            arguments,
            interrupt: Interrupt::watch()?,
            folder,
            report: Report::new(&program.unwrap_or_default()),
            known_failures: Vec::new(),
            output: 0,
        })
    }

    /// Makes all runs.
    pub fn run(mut self) -> Result<Report, Failure> {
        let first = self.make("the default settings", &Settings::default())?;
        self.output = first.output;
        let told = first.told.unwrap_or_default();
        self.known_failures = told.findings.iter().filter_map(failure).collect();
        self.add("the default settings", told.findings.clone(), None);
        self.name_races(&told.alternatives);
        self.vary("no eager sends", Settings { eager: Eager::Never, ..Settings::default() })?;
        self.vary("only eager sends", Settings { eager: Eager::Always, ..Settings::default() })?;
        for seed in 1..=u64::from(self.arguments.orders) {
            let name = format!("disturbed messages (seed {seed})");
            self.vary(&name, Settings { disturbed: Some(seed), ..Settings::default() })?;
        }
        self.explore(told.alternatives)?;
        self.report.sort();
        Ok(self.report)
    }

    fn make(&self, name: &str, settings: &Settings) -> Result<Ran, Failure> {
        let limit = Duration::from_secs_f64(self.arguments.timeout);
        let mut ran = single::run(self.typed, settings, self.folder.path(), limit, self.interrupt)?;
        if ran.told.is_none() {
            let text = format!(
                "the run with {name} did not end within {} s; the program may wait for ever in a loop of its own",
                self.arguments.timeout
            );
            let finding = Finding::new(FindingClass::Deadlock, 0, text);
            // Of a run with choices it is not known whether it waits for a message that cannot be had.
            let impossible = !settings.choices.is_empty();
            ran.told = Some(Told { findings: vec![finding], impossible, ..Told::default() });
        }
        Ok(ran)
    }

    /// A run with other settings.
    fn vary(&mut self, name: &str, settings: Settings) -> Result<(), Failure> {
        let told = self.make(name, &settings)?.told.unwrap_or_default();
        let unsafe_send = settings.eager == Eager::Never && told.waits_in_send;
        let new_class = unsafe_send.then_some(FindingClass::UnsafeSend);
        self.add(name, told.findings, new_class);
        Ok(())
    }

    /// Adds the findings of a run. Failures that the first run did not have get the class `instead`.
    fn add(&mut self, name: &str, mut findings: Vec<Finding>, instead: Option<FindingClass>) {
        for finding in &mut findings {
            let new = failure(finding).filter(|class| !self.known_failures.contains(class));
            if let (Some(class), Some(instead)) = (new, instead)
                && (class == FindingClass::Deadlock || instead == FindingClass::WildcardFailure)
            {
                finding.change_class(instead);
                finding.text = format!("with {name}: {}", finding.text);
            }
        }
        self.report.add_run(name, findings);
    }

    /// Notes about receives that could have got other messages.
    fn name_races(&mut self, alternatives: &[Alternative]) {
        let notes: Vec<Finding> = alternatives.iter().map(note).collect();
        if let Some(name) = self.report.runs.pop() {
            self.report.add_run(&name, notes);
        }
    }

    /// Gives wildcard receives other messages, one more in each generation of runs, until the limit is reached.
    fn explore(&mut self, first: Vec<Alternative>) -> Result<(), Failure> {
        let mut open: VecDeque<(Vec<Choice>, Alternative)> =
            first.into_iter().map(|alternative| (Vec::new(), alternative)).collect();
        let mut made: BTreeSet<Vec<Choice>> = BTreeSet::new();
        while let Some((earlier, alternative)) = open.pop_front() {
            let mut choices = [earlier, alternative.beside.clone(), vec![alternative.choice]].concat();
            choices.sort_unstable();
            choices.dedup();
            if made.len() >= self.arguments.explore as usize || !made.insert(choices.clone()) {
                continue;
            }
            let settings = Settings { choices: choices.clone(), ..Settings::default() };
            let name = describe(&alternative, choices.len());
            let ran = self.make(&name, &settings)?;
            let told = ran.told.unwrap_or_default();
            if told.impossible {
                continue;
            }
            if ran.output != self.output && told.findings.iter().filter_map(failure).next().is_none() {
                self.note_output(&alternative);
            }
            self.add(&name, told.findings, Some(FindingClass::WildcardFailure));
            for next in told.alternatives {
                if open.len() < self.arguments.explore as usize {
                    open.push_back((choices.clone(), next));
                }
            }
        }
        Ok(())
    }

    /// The output was different when a receive got another message: its note says so.
    fn note_output(&mut self, alternative: &Alternative) {
        const SAYS: &str = "; the program's output differs then";
        let race = FindingClass::WildcardRace.name();
        for finding in self.report.findings.iter_mut().filter(|finding| finding.class == race) {
            let same = (&finding.place, &finding.call) == (&alternative.place, &alternative.call);
            if same && !finding.text.ends_with(SAYS) {
                finding.text.push_str(SAYS);
            }
        }
    }
}

/// The class of a finding that ended its run.
fn failure(finding: &Finding) -> Option<FindingClass> {
    use FindingClass as F;
    finding
        .class()
        .filter(|class| matches!(class, F::Deadlock | F::Crash | F::Failure | F::MissingCollective))
}

fn note(alternative: &Alternative) -> Finding {
    let Alternative { choice, got, other, call, place, .. } = alternative;
    let text = format!("{call} got the message of rank {got}, but could have got that of rank {other}");
    Finding {
        call: call.clone(),
        place: place.clone(),
        ..Finding::new(FindingClass::WildcardRace, choice.rank, text)
    }
}

fn describe(alternative: &Alternative, choices: usize) -> String {
    let Alternative { choice, other, call, place, .. } = alternative;
    let at = place.as_ref().map_or(String::new(), |place| format!(" at {}", place.text));
    let also = match choices - 1 {
        0 => String::new(),
        1 => ", after another choice".to_owned(),
        more => format!(", after {more} other choices"),
    };
    format!("the message of rank {other} for {call}{at} of rank {}{also}", choice.rank)
}
