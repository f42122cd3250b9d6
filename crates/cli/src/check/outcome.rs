//! How a checked run ended, as findings.

use std::collections::BTreeSet;

use mpirage_call::{FindingClass, LineId, RankId, function_name};
use mpirage_check::{CallSite, Finding, Place, RawFinding, RelatedPlace};
use mpirage_mpi::{BlockedRank, CommunicatorPurpose, Leftover, Memory, Want};
use mpirage_rank::{Death, Outcome};

use crate::diagnosis::{Diagnosis, Places};

/// Blocked calls of a deadlock that are shown beside the first.
const SHOWN: usize = 6;

impl<M: Memory, P: Places> Diagnosis<'_, M, P> {
    /// What the checker found and how the run ended, with source lines.
    pub fn findings(&mut self, outcome: &Outcome, raw: &[RawFinding]) -> Vec<Finding> {
        let mut found: Vec<Finding> = raw.iter().map(|one| self.resolve(one)).collect();
        match outcome {
            Outcome::Finished { code: 0 } => found.extend(self.left_behind()),
            Outcome::Misuse { rank, text } => {
                // The MPI library has named most of them already, with their class.
                let named = raw.iter().any(|one| one.rank == *rank && text.ends_with(&one.text));
                if !named {
                    found.push(self.at_last_call(misuse_class(text), *rank, text.clone()));
                }
            }
            Outcome::Deadlock => found.push(self.deadlock_finding()),
            other => found.extend(self.failed(other)),
        }
        found
    }

    fn resolve(&mut self, raw: &RawFinding) -> Finding {
        let related = raw
            .related
            .iter()
            .map(|related| RelatedPlace {
                rank: related.rank,
                call: related.call.name().to_owned(),
                place: self.place_of(related.rank, related.call),
                text: related.text.clone(),
            })
            .collect();
        let finding = Finding::new(raw.class, raw.rank, raw.text.clone());
        Finding {
            call: raw.call.name().to_owned(),
            place: self.place_of(raw.rank, raw.call),
            expected: raw.expected.clone().unwrap_or(finding.expected),
            related,
            ..finding
        }
    }

    /// The place of a call, as reports show it.
    pub fn place_of(&mut self, rank: u32, call: CallSite) -> Option<Place> {
        let place = (call.site != 0).then(|| self.places.call(rank, call.site)).flatten()?;
        let text = place.text.split(" in ").next().unwrap_or_default().to_owned();
        Some(Place { text, file: place.file, line: place.line })
    }

    fn at_last_call(&mut self, class: FindingClass, rank: u32, text: String) -> Finding {
        let call = CallSite::of(&self.engine.last_call(LineId::new(rank)));
        self.at(call, Finding::new(class, rank, text), rank)
    }

    fn at(&mut self, call: CallSite, finding: Finding, rank: u32) -> Finding {
        let place = self.place_of(rank, call);
        let call = if call.site == 0 { String::new() } else { call.name().to_owned() };
        Finding { call, place, ..finding }
    }

    fn deadlock_finding(&mut self) -> Finding {
        let blocked = self.engine.diagnosis().blocked();
        let Some(first) = blocked.first() else {
            return Finding::new(FindingClass::Deadlock, 0, "no rank can go on".to_owned());
        };
        let missing = blocked.iter().find(|rank| self.waits_for_ended(rank));
        let (class, shown) = match missing {
            Some(rank) => (FindingClass::MissingCollective, rank),
            None => (FindingClass::Deadlock, first),
        };
        let text = format!("rank {} waits for {}, which never happens", shown.rank, self.wanted(shown));
        let finding = self.at(CallSite::of(&shown.stamp), Finding::new(class, shown.rank, text), shown.rank);
        let others = blocked.iter().filter(|rank| !std::ptr::eq(*rank, shown)).take(SHOWN);
        let related = others.map(|rank| self.blocked_call_of(rank)).collect();
        // A rank counts once, however many of its threads are blocked.
        let ranks: BTreeSet<u32> = blocked.iter().map(|rank| rank.rank).collect();
        Finding { count: ranks.len(), ranks: ranks.into_iter().collect(), related, ..finding }
    }

    fn blocked_call_of(&mut self, blocked: &BlockedRank) -> RelatedPlace {
        let name = function_name(blocked.stamp.function);
        RelatedPlace {
            rank: blocked.rank,
            call: name.to_owned(),
            place: self.place_of(blocked.rank, CallSite::of(&blocked.stamp)),
            text: format!("rank {} in {name} waits for {}", blocked.rank, self.wanted(blocked)),
        }
    }

    /// Does it wait for a rank to enter a collective that has finalized without it?
    fn waits_for_ended(&self, blocked: &BlockedRank) -> bool {
        let ended = |&rank: &u32| self.engine.lifecycle(RankId::new(rank)).1;
        blocked.wants.iter().any(|want| match want {
            Want::Members { missing, .. } => missing.iter().any(ended),
            _ => false,
        })
    }

    /// A run that ended in another way than it should.
    fn failed(&mut self, outcome: &Outcome) -> Option<Finding> {
        let (rank, class) = match outcome {
            Outcome::RankDied { rank, death: Death::Exit(_) } => (*rank, FindingClass::Lifecycle),
            Outcome::RankDied { rank, .. } => (*rank, FindingClass::Crash),
            Outcome::Aborted { rank, .. } => (*rank, FindingClass::Failure),
            Outcome::RankHangs { rank, .. } => (*rank, FindingClass::Deadlock),
            Outcome::Finished { code } => {
                let text = format!("the program ended with exit code {code}");
                return Some(Finding::new(FindingClass::Failure, 0, text));
            }
            _ => (0, FindingClass::Failure),
        };
        let text = self.explain(outcome)?;
        Some(self.at_last_call(class, rank, text))
    }

    /// Messages, requests, communicators and collectives that are left when all ranks have ended.
    fn left_behind(&mut self) -> Vec<Finding> {
        let leftovers = self.engine.diagnosis().leftovers();
        leftovers.iter().map(|leftover| self.leftover_finding(leftover)).collect()
    }

    fn leftover_finding(&mut self, leftover: &Leftover) -> Finding {
        use FindingClass as F;
        let (class, rank, origin, count) = match leftover {
            Leftover::Message { from, origin, .. } => (F::LostMessage, *from, *origin, 1),
            Leftover::Requests { rank, origin, count, .. } => (F::RequestLeak, *rank, *origin, *count),
            Leftover::Collective { rank, origin, .. } => (F::MissingCollective, *rank, *origin, 1),
            Leftover::Communicators { purpose, origin, count, .. } => {
                let class = match purpose {
                    CommunicatorPurpose::Communicator => F::CommunicatorLeak,
                    CommunicatorPurpose::Window => F::WindowLeak,
                    CommunicatorPurpose::File => F::FileLeak,
                };
                (class, 0, *origin, *count)
            }
        };
        let call = CallSite { function: origin.function(), site: origin.site() };
        let text = self.leftover(leftover);
        Finding { count, ..self.at(call, Finding::new(class, rank, text), rank) }
    }
}

/// The class of a mistake that only the simulator could see.
fn misuse_class(text: &str) -> FindingClass {
    let collective = text.contains("collective mismatch");
    if collective && text.contains(" gives ") && text.contains(" bytes") {
        FindingClass::CountMismatch
    } else if collective {
        FindingClass::CollectiveMismatch
    } else if text.contains("it accesses the memory of rank") {
        FindingClass::RmaRange
    } else {
        FindingClass::Misuse
    }
}
