//! How a checked run ended, as findings.

use std::collections::BTreeSet;

use mpirage_call::{FindingClass, LineId, RankId, function_name};
use mpirage_check::{Alternative, CallSite, CodePlace, Finding, RawFinding, RelatedPlace};
use mpirage_mpi::{BlockedRank, CommunicatorPurpose, Ending, Leftover, Memory, Want};
use mpirage_rank::{Death, Outcome};

use crate::diagnosis::{Diagnosis, Places};

/// Blocked calls of a deadlock that are shown beside the first.
const SHOWN: usize = 6;

impl<M: Memory, P: Places> Diagnosis<'_, M, P> {
    /// The checker's findings and the run's ending, with source lines. `alternatives`: other messages for wildcard receives.
    pub fn findings(
        &mut self,
        outcome: &Outcome,
        raw: &[RawFinding],
        alternatives: &[Alternative],
    ) -> Vec<Finding> {
        let mut found: Vec<Finding> = raw.iter().map(|one| self.resolve(one)).collect();
        match outcome {
            Outcome::Finished { code: 0 } => found.extend(self.left_behind()),
            Outcome::Ended(Ending::Misuse { rank, text }) => {
                // The MPI library has named most of them already, with their class.
                let named = raw.iter().any(|one| one.rank == *rank && text.ends_with(&one.text));
                if !named {
                    found.push(self.at_last_call(misuse_class(text), *rank, text.clone()));
                }
            }
            Outcome::Ended(Ending::Deadlock) => found.push(self.deadlock_finding(alternatives)),
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
    pub fn place_of(&mut self, rank: u32, call: CallSite) -> Option<CodePlace> {
        let place = (call.site != 0).then(|| self.places.call(rank, call.site)).flatten()?;
        let text = place.text.split(" in ").next().unwrap_or_default().to_owned();
        Some(CodePlace { text, file: place.file, line: place.line })
    }

    fn at_last_call(&mut self, class: FindingClass, rank: u32, text: String) -> Finding {
        let call = CallSite::of(&self.engine.last_named_call(LineId::new(rank)));
        self.at(call, Finding::new(class, rank, text), rank)
    }

    fn at(&mut self, call: CallSite, finding: Finding, rank: u32) -> Finding {
        let place = self.place_of(rank, call);
        let call = if call.site == 0 { String::new() } else { call.name().to_owned() };
        Finding { call, place, ..finding }
    }

    fn deadlock_finding(&mut self, alternatives: &[Alternative]) -> Finding {
        let blocked = self.engine.diagnosis().blocked();
        let Some(first) = blocked.first() else {
            return Finding::new(FindingClass::Deadlock, 0, "no rank can go on".to_owned());
        };
        let missing = blocked.iter().find(|rank| self.waits_for_ended(rank));
        let crossed = MessageAndCollective::among(&blocked);
        let (class, shown) = match (missing, &crossed) {
            (Some(rank), _) => (FindingClass::MissingCollective, rank),
            (None, Some(crossed)) => (FindingClass::Deadlock, crossed.waits),
            (None, None) => (FindingClass::Deadlock, first),
        };
        let (rank, crossed) = (shown.rank, crossed.filter(|_| missing.is_none()));
        let why = crossed.as_ref().map_or("which never happens".to_owned(), MessageAndCollective::why);
        let text = format!("rank {rank} waits for {}, {why}", self.wanted(shown));
        let finding = self.at(CallSite::of(&shown.stamp), Finding::new(class, rank, text), rank);
        let expected = crossed.map_or(finding.expected.clone(), |crossed| crossed.expected());
        let others = blocked.iter().filter(|rank| !std::ptr::eq(*rank, shown)).take(SHOWN);
        let mut related: Vec<RelatedPlace> = others.map(|rank| self.blocked_call_of(rank)).collect();
        let taken = blocked.iter().flat_map(|rank| takers(rank, alternatives)).take(SHOWN);
        related.extend(taken.map(|taker| self.taker_of(taker)));
        // A rank counts once, however many of its threads are blocked.
        let ranks: BTreeSet<u32> = blocked.iter().map(|rank| rank.rank).collect();
        Finding { count: ranks.len(), ranks: ranks.into_iter().collect(), related, expected, ..finding }
    }

    /// A wildcard receive that took the message for which a rank waits, but could have got another.
    fn taker_of(&mut self, taker: &Alternative) -> RelatedPlace {
        let &Alternative { rank, got, other, call, .. } = taker;
        let name = call.name();
        let text = format!(
            "{name} of rank {rank} with MPI_ANY_SOURCE took a message of rank {got} for which the rank waits now; it could have \
             got that of rank {other}"
        );
        RelatedPlace { rank, call: name.to_owned(), place: self.place_of(rank, call), text }
    }

    /// After a deadlock: does a rank wait for the receive of what it sends?
    pub fn waits_in_send(&self) -> bool {
        let blocked = self.engine.diagnosis().blocked();
        blocked.iter().flat_map(|rank| &rank.wants).any(|want| matches!(want, Want::Receiver { .. }))
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
            Outcome::Ended(Ending::Aborted { rank, .. }) => (*rank, FindingClass::Failure),
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

/// Wildcard receives of a blocked rank that took messages for which it waits now, each once.
fn takers<'a>(blocked: &BlockedRank, alternatives: &'a [Alternative]) -> Vec<&'a Alternative> {
    let took = |one: &Alternative, want: &Want| {
        matches!(*want, Want::Message { from: Some(from), tag, context }
            if (one.rank, one.got, one.context) == (blocked.rank, from, context)
                && (tag.is_none() || one.tag == tag))
    };
    let mut found: Vec<&Alternative> =
        alternatives.iter().filter(|one| blocked.wants.iter().any(|want| took(one, want))).collect();
    found.dedup_by_key(|one| one.wildcard);
    found
}

/// A rank that waits for a message to pass between it and another one, which waits for it in a collective.
struct MessageAndCollective<'a> {
    waits: &'a BlockedRank,
    /// Does it send the message?
    sends: bool,
    peer: u32,
    collective: &'static str,
}

impl<'a> MessageAndCollective<'a> {
    fn among(blocked: &'a [BlockedRank]) -> Option<MessageAndCollective<'a>> {
        let collective_of = |peer: u32, waits: u32| {
            let wants = blocked.iter().filter(|rank| rank.rank == peer).flat_map(|rank| &rank.wants);
            wants.into_iter().find_map(|want| match want {
                Want::Members { what, missing, .. } if missing.contains(&waits) => Some(*what),
                _ => None,
            })
        };
        blocked.iter().find_map(|waits| {
            waits.wants.iter().find_map(|want| {
                let (sends, peer) = match *want {
                    Want::Receiver { to, .. } => (true, to),
                    Want::Message { from: Some(from), .. } => (false, from),
                    _ => return None,
                };
                let collective = collective_of(peer, waits.rank)?;
                Some(MessageAndCollective { waits, sends, peer, collective })
            })
        })
    }

    fn why(&self) -> String {
        let MessageAndCollective { waits, peer, collective, .. } = self;
        format!("but rank {peer} waits for rank {} in {collective}", waits.rank)
    }

    fn expected(&self) -> String {
        let MessageAndCollective { waits, peer, collective, sends } = self;
        let (theirs, mine) = if *sends { ("receives", "sends") } else { ("sends", "receives") };
        format!("rank {peer} {theirs} before {collective}, or rank {} {mine} after it", waits.rank)
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
