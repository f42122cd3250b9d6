//! Polls that are paid for before they look, as SimGrid's are.
//!
//! A test sleeps, then looks at its request; a test of several requests does so for each, one after the other. The k-th
//! failure in a row makes the next sleep k + 1 times as long. Who counts as in a row: tests of one request, of all and of some
//! count together, tests of any by themselves, probes by themselves; in each case those of all ranks, for SimGrid keeps one
//! number for everybody.

use std::collections::{HashMap, VecDeque};

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, Completing, RequestId};
use mpirage_record::Record;
use mpirage_units::Duration;

use crate::engine::Engine;
use crate::memory::Memory;
use crate::perform::Progress;
use crate::probe::Probing;
use crate::protocol::PollCost;
use crate::rank::Then;
use crate::request::key_of;

/// Failures in a row, and tests that look at one request after the other.
#[derive(Debug, Default)]
pub(crate) struct Polls {
    tests: u32,
    tests_of_any: u32,
    probes: u32,
    under_way: HashMap<u32, Look>,
    /// Ranks whose polls are paid for at this instant.
    due: VecDeque<u32>,
}

/// How far a test of several requests is.
#[derive(Debug, Default)]
struct Look {
    /// The place of the request it looks at next.
    at: usize,
    /// The places of those that it saw complete.
    seen: Vec<u32>,
}

/// In a completion that a request keeps: a test of all has seen it, though others were not complete. SimGrid frees it then,
/// and tests of all that follow do not pay for it.
pub(crate) const SEEN: u32 = 1;

/// What the k-th poll in a row costs, if the others have failed.
fn after(step: Duration, failures: u32) -> Duration {
    Duration::from_picos(step.as_picos().saturating_mul(u64::from(failures) + 1))
}

impl<M: Memory> Engine<M> {
    /// A test begins. None if it is not paid for first.
    pub(crate) fn begin_test(
        &mut self,
        rank: u32,
        how: Completing,
        requests: &[RequestId],
    ) -> Option<Progress> {
        let PollCost::First { test, .. } = self.protocol.poll else { return None };
        if requests.is_empty() {
            return None;
        }
        Some(self.begin_paid_test(rank, test, how, requests))
    }

    #[inline(never)]
    fn begin_paid_test(
        &mut self,
        rank: u32,
        test: Duration,
        how: Completing,
        requests: &[RequestId],
    ) -> Progress {
        if how == Completing::Any {
            self.pay(rank, after(test, self.polls.tests_of_any), Then::Look);
            return Progress::Blocked;
        }
        self.polls.under_way.insert(rank, Look::default());
        self.look_at_next(rank, test, how, requests)
    }

    /// A probe begins. None if it is not paid for first.
    pub(crate) fn begin_probe(&mut self, rank: u32) -> Option<Progress> {
        let PollCost::First { probe, .. } = self.protocol.poll else { return None };
        self.pay(rank, after(probe, self.polls.probes), Then::Look);
        Some(Progress::Blocked)
    }

    /// A poll has been paid for. In SimGrid probes compute, and what is computed ends in order of its start; tests sleep, and of
    /// those who fell asleep at one instant the last wakes first.
    #[cold]
    pub(crate) fn look_due(&mut self, rank: u32) {
        let state = &self.ranks[rank as usize];
        let probes = matches!(decode_call(&state.inbox[state.current..]), Ok((_, Call::Probe { .. }, _)));
        let due = &mut self.polls.due;
        if probes { due.push_back(rank) } else { due.push_front(rank) }
    }

    /// Lets the next poll look that has been paid for. Its rank goes on before the one after it looks, so that what it does next
    /// is at the price of its own failure. True if there was one.
    pub(crate) fn serve_polls(&mut self) -> bool {
        let Some(rank) = self.polls.due.pop_front() else { return false };
        self.look(rank);
        true
    }

    #[inline(never)]
    fn look(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        let inbox = std::mem::take(&mut state.inbox);
        let progress = match decode_call(&inbox[state.current..]) {
            Ok((_, Call::Wait { how: Completing::Any, requests, .. }, _)) => {
                self.look_for_any(rank, requests)
            }
            Ok((_, Call::Wait { how, requests, .. }, _)) => self.look_at_one(rank, how, requests),
            Ok((_, Call::Probe { context, from, tag, take, .. }, _)) => {
                self.look_for_message(rank, &Probing { key: key_of(context, from, tag), take })
            }
            _ => unreachable!("only polls are paid for before they look"),
        };
        self.settle(rank, progress, true);
        self.ranks[rank as usize].inbox = inbox;
        if std::mem::take(&mut self.unrecorded) {
            self.record_call(rank);
        }
    }

    fn is_done(&self, rank: u32, request: RequestId) -> bool {
        self.ranks[rank as usize].requests[request.index()].done.is_some()
    }

    fn look_for_any(&mut self, rank: u32, requests: &[RequestId]) -> Progress {
        if !requests.iter().any(|&request| self.is_done(rank, request)) {
            self.polls.tests_of_any += 1;
            return Progress::Done;
        }
        self.polls.tests_of_any = 0;
        self.tell(rank, Completing::Any, requests)
    }

    fn look_at_one(&mut self, rank: u32, how: Completing, requests: &[RequestId]) -> Progress {
        let PollCost::First { test, .. } = self.protocol.poll else { unreachable!() };
        let at = self.polls.under_way[&rank].at;
        let done = self.is_done(rank, requests[at]);
        self.polls.tests = if done { 0 } else { self.polls.tests + 1 };
        if let Some(look) = self.polls.under_way.get_mut(&rank) {
            look.at += 1;
            look.seen.extend(done.then_some(at as u32));
        }
        self.look_at_next(rank, test, how, requests)
    }

    /// Pays for a look at the next request, or says what was seen.
    fn look_at_next(
        &mut self,
        rank: u32,
        test: Duration,
        how: Completing,
        requests: &[RequestId],
    ) -> Progress {
        let slots = &self.ranks[rank as usize].requests;
        let known = |&request: &RequestId| slots[request.index()].done.is_some_and(|done| done.index == SEEN);
        let Some(look) = self.polls.under_way.get_mut(&rank) else { return Progress::Done };
        while look.at < requests.len() && known(&requests[look.at]) {
            look.seen.push(look.at as u32);
            look.at += 1;
        }
        if look.at < requests.len() {
            self.pay(rank, after(test, self.polls.tests), Then::Look);
            return Progress::Blocked;
        }
        let seen = self.polls.under_way.remove(&rank).unwrap_or_default().seen;
        self.tell_seen(rank, how, requests, &seen)
    }

    fn tell_seen(&mut self, rank: u32, how: Completing, requests: &[RequestId], seen: &[u32]) -> Progress {
        if how == Completing::All && seen.len() < requests.len() {
            let slots = &mut self.ranks[rank as usize].requests;
            for &place in seen {
                if let Some(done) = &mut slots[requests[place as usize].index()].done {
                    done.index = SEEN;
                }
            }
            return Progress::Done;
        }
        if seen.is_empty() {
            return Progress::Done;
        }
        let complete: Vec<RequestId> = seen.iter().map(|&place| requests[place as usize]).collect();
        let progress = self.tell(rank, how, &complete);
        for completion in &mut self.ranks[rank as usize].reply.completions {
            completion.index = seen[completion.index as usize];
        }
        progress
    }

    /// Tells the rank of requests that are complete.
    fn tell(&mut self, rank: u32, how: Completing, requests: &[RequestId]) -> Progress {
        self.paid_to_look(rank);
        self.start_wait(rank, how, requests);
        Progress::Pay(self.gather_completions(rank))
    }

    fn look_for_message(&mut self, rank: u32, probing: &Probing) -> Progress {
        if self.probe(rank, probing) {
            self.polls.probes = 0;
            self.paid_to_look(rank);
        } else {
            self.polls.probes += 1;
        }
        Progress::Done
    }

    /// What was paid to look is a pause before the call: traces keep the call without it, as one that was not in vain.
    fn paid_to_look(&mut self, rank: u32) {
        let end = self.kernel.now();
        let start = std::mem::replace(&mut self.ranks[rank as usize].entered, end);
        if end > start {
            self.recorder.record(&Record::Pause { rank, start, end });
        }
    }
}
