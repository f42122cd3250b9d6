//! Findings with source lines: grouped, and merged over several runs.

use std::collections::BTreeSet;

use mpirage_call::{FindingClass, Severity};
use serde::{Deserialize, Serialize};

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePlace {
    /// As messages show it.
    pub text: String,
    /// The file, if it is known.
    pub file: Option<String>,
    /// The line, if it is known.
    pub line: Option<u64>,
}

/// Another call that has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedPlace {
    /// The rank that made it.
    pub rank: u32,
    /// The MPI function.
    pub call: String,
    /// Where it was called.
    pub place: Option<CodePlace>,
    /// How it relates to the finding.
    pub text: String,
}

/// A mistake of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The name of its class.
    pub class: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The mistake, in one sentence.
    pub text: String,
    /// The correct behaviour.
    pub expected: String,
    /// The ranks that make the mistake.
    pub ranks: BTreeSet<u32>,
    /// How often they make it, in one run.
    pub count: usize,
    /// The MPI function.
    pub call: String,
    /// Where it was called.
    pub place: Option<CodePlace>,
    /// Other calls that have to do with it.
    pub related: Vec<RelatedPlace>,
    /// The runs in which it shows.
    pub runs: Vec<String>,
}

impl Finding {
    /// A finding of this class in one run.
    pub fn new(class: FindingClass, rank: u32, text: String) -> Finding {
        Finding {
            class: class.name().to_owned(),
            severity: class.severity().name().to_owned(),
            text,
            expected: rule(class).to_owned(),
            ranks: BTreeSet::from([rank]),
            count: 1,
            call: String::new(),
            place: None,
            related: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Gives it another class, and the rule of that class unless it says better what would be right.
    pub fn change_class(&mut self, class: FindingClass) {
        let general = self.class().is_some_and(|known| self.expected == rule(known));
        let expected = if general { rule(class).to_owned() } else { std::mem::take(&mut self.expected) };
        (self.class, self.severity, self.expected) =
            (class.name().to_owned(), class.severity().name().to_owned(), expected);
    }

    /// Its class.
    pub fn class(&self) -> Option<FindingClass> {
        FindingClass::named(&self.class)
    }

    /// How much it weighs.
    pub fn severity(&self) -> Severity {
        self.class().map_or(Severity::Error, FindingClass::severity)
    }

    /// Findings of different ranks, or of different runs, with the same key are one. A place without a line does not tell calls
    /// apart, so the sentence counts then.
    fn key(&self) -> (&str, &str, Option<&CodePlace>, Vec<Option<&CodePlace>>, Option<&str>) {
        let related = self.related.iter().map(|related| related.place.as_ref()).collect();
        let known = self.place.as_ref().is_some_and(|place| place.line.is_some());
        (&self.class, &self.call, self.place.as_ref(), related, (!known).then_some(self.text.as_str()))
    }
}

/// The findings of one run or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The program.
    pub program: String,
    /// The runs, in words.
    pub runs: Vec<String>,
    /// The findings, the gravest first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// A report about a program.
    pub fn new(program: &str) -> Report {
        Report { program: program.to_owned(), ..Report::default() }
    }

    /// Adds findings of one run: those with the same class, call and place become one.
    pub fn add_run(&mut self, run: &str, findings: impl IntoIterator<Item = Finding>) {
        self.runs.push(run.to_owned());
        let mut of_run: Vec<Finding> = Vec::new();
        for finding in findings {
            match of_run.iter_mut().find(|known| known.key() == finding.key()) {
                Some(known) => {
                    known.count += finding.count;
                    known.ranks.extend(finding.ranks);
                }
                None => of_run.push(finding),
            }
        }
        of_run.into_iter().for_each(|finding| self.merge(run, finding));
    }

    fn merge(&mut self, run: &str, mut finding: Finding) {
        match self.findings.iter_mut().find(|known| known.key() == finding.key()) {
            Some(known) => {
                known.count = known.count.max(finding.count);
                known.ranks.append(&mut finding.ranks);
                known.runs.push(run.to_owned());
            }
            None => {
                finding.runs = vec![run.to_owned()];
                self.findings.push(finding);
            }
        }
    }

    /// Puts the gravest first, and leaves the order otherwise.
    pub fn sort(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity()));
    }

    /// How many findings weigh this much.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }

    /// Is there an error or a warning?
    pub fn has_mistakes(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity() > Severity::Note)
    }
}

/// The correct behaviour, by class of finding.
fn rule(class: FindingClass) -> &'static str {
    use FindingClass as F;
    match class {
        F::Deadlock => "every call that waits has a call of another rank that ends it",
        F::UnsafeSend => {
            "sends and receives in an order that needs no buffers, or MPI_Sendrecv, MPI_Isend or MPI_Bsend"
        }
        F::WildcardFailure => {
            "a program that is right whichever message a wildcard receive gets, or a receive that names its source"
        }
        F::DatatypeMismatch => "the same type signature on both sides",
        F::Truncation => "a receive with room for the whole message",
        F::CollectiveMismatch => "the same collective on all ranks, with the same root, operator and form",
        F::CountMismatch => "the same amount of data on all ranks",
        F::MissingCollective => "a call of the collective by every rank of its communicator",
        F::BufferChanged => "a buffer that stays as it is until the operation is complete",
        F::BufferOverlap => "buffers of their own for operations that are under way at the same time",
        F::RmaSync => "an epoch around each access, opened and closed in pairs",
        F::RmaRange => "accesses inside the memory that the target exposes",
        F::RmaConflict => "synchronisation between accesses to the same place",
        F::ThreadLevel => "calls only by threads that the granted level allows",
        F::InvalidArgument => "a value that the standard allows",
        F::InvalidHandle => "a handle of an object of the right kind that exists and is ready for use",
        F::Lifecycle => "MPI calls between MPI_Init and MPI_Finalize, and both on every rank",
        F::Misuse => "a call that follows the standard",
        F::Crash | F::Failure => "an end of all ranks with exit code 0",
        F::RequestLeak => "MPI_Wait, MPI_Test or MPI_Request_free for every request",
        F::LostMessage => "a receive for every message",
        F::DatatypeLeak => "MPI_Type_free before MPI_Finalize",
        F::CommunicatorLeak => "MPI_Comm_free before MPI_Finalize",
        F::WindowLeak => "MPI_Win_free before MPI_Finalize",
        F::FileLeak => "MPI_File_close before MPI_Finalize",
        F::HandleLeak => "the function that frees the object before MPI_Finalize",
        F::WildcardRace => "nothing, if the order of messages does not matter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(class: FindingClass, rank: u32, line: u64) -> Finding {
        let place = CodePlace { text: format!("a.c:{line}"), file: Some("a.c".to_owned()), line: Some(line) };
        Finding { place: Some(place), ..Finding::new(class, rank, format!("rank {rank} is wrong")) }
    }

    #[test]
    fn ranks_and_runs_share_a_finding() {
        let mut report = Report::new("a");
        let leak = FindingClass::DatatypeLeak;
        report.add_run("default", [at(leak, 0, 5), at(leak, 1, 5), at(leak, 1, 6)]);
        report.add_run("eager limit 0", [at(leak, 2, 5), at(FindingClass::UnsafeSend, 0, 9)]);
        report.sort();
        let shown: Vec<_> = report
            .findings
            .iter()
            .map(|f| (f.class.as_str(), f.ranks.iter().copied().collect::<Vec<_>>(), f.count, f.runs.len()))
            .collect();
        assert_eq!(
            shown,
            [
                ("unsafe-send", vec![0], 1, 1),
                ("datatype-leak", vec![0, 1, 2], 2, 2),
                ("datatype-leak", vec![1], 1, 1)
            ]
        );
        assert!(report.has_mistakes());
    }

    #[test]
    fn notes_are_no_mistakes() {
        let mut report = Report::new("a");
        report.add_run("default", [at(FindingClass::WildcardRace, 0, 5)]);
        assert!(!report.has_mistakes());
    }
}
