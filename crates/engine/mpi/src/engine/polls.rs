//! Polls that are paid for before they look, as SimGrid's are.
//!
//! A test sleeps, then looks at its request; a test of several requests does so for each, one after the other. The k-th
//! failure in a row makes the next sleep k + 1 times as long. Tests of one request, of all and of some count together, tests
//! of any by themselves, probes by themselves; in each case those of all ranks, for SimGrid keeps one number for all.

use std::collections::{HashMap, VecDeque};

use mpirage_call::{Call, Completing, LineId, RequestId};
use mpirage_record::Record;
use mpirage_units::Duration;

use super::calls::Calls;
use super::task::Progress;
use crate::memory::Memory;
use crate::protocol::PollCost;
use crate::ranks::line::Then;
use crate::transport::matching::{Key, Probe};

/// Failures in a row, and tests that look at one request after the other.
#[derive(Debug, Default)]
pub(super) struct Polls {
    tests: u32,
    tests_of_any: u32,
    probes: u32,
    under_way: HashMap<LineId, Look>,
    /// Lines whose polls are paid for at this instant.
    due: VecDeque<LineId>,
}

/// How far a test of several requests is.
#[derive(Debug, Default)]
struct Look {
    /// The position of the request it looks at next.
    at: usize,
    /// The positions of those that it saw complete.
    seen: Vec<u32>,
}

/// In a completion that a request keeps: a test of all has seen it, though others were not complete. SimGrid frees it then,
/// and tests of all that follow do not pay for it.
const SEEN: u32 = 1;

/// The cost of the next poll after so many failed ones in a row.
fn after(step: Duration, failures: u32) -> Duration {
    Duration::from_picos(step.as_picos().saturating_mul(u64::from(failures) + 1))
}

impl<M: Memory> Calls<M> {
    /// A test begins. None if it is not paid for first.
    pub(super) fn begin_test(
        &mut self,
        line: LineId,
        how: Completing,
        requests: &[RequestId],
    ) -> Option<Progress> {
        let PollCost::First { test, .. } = self.core.protocol().poll else { return None };
        if how == Completing::Any {
            self.core.pay(line, after(test, self.polls.tests_of_any), Then::Look);
            return Some(Progress::Blocked);
        }
        self.polls.under_way.insert(line, Look::default());
        Some(self.look_at_next(line, test, how, requests))
    }

    /// A probe begins. None if it is not paid for first.
    pub(super) fn begin_probe(&mut self, line: LineId) -> Option<Progress> {
        let PollCost::First { probe, .. } = self.core.protocol().poll else { return None };
        self.core.pay(line, after(probe, self.polls.probes), Then::Look);
        Some(Progress::Blocked)
    }

    /// A poll has been paid for. In SimGrid probes compute, and computations end in order of their start; tests sleep, and of
    /// those that fell asleep at one instant the last wakes first.
    #[cold]
    pub(super) fn look_due(&mut self, line: LineId) {
        let call = self.core.ranks.line(line).inbox.current_call();
        let probes = matches!(call, Some(Call::Probe { .. }));
        let due = &mut self.polls.due;
        if probes { due.push_back(line) } else { due.push_front(line) }
    }

    /// Lets the next poll look that has been paid for. Its line goes on before the one after it looks, so that what it does
    /// next is at the price of its own failure. True if there was one.
    pub(super) fn serve_polls(&mut self) -> bool {
        let Some(line) = self.polls.due.pop_front() else { return false };
        self.look(line);
        true
    }

    #[inline(never)]
    fn look(&mut self, line: LineId) {
        let state = self.core.ranks.line_mut(line);
        let inbox = state.inbox.borrow();
        let (_, current) = state.inbox.positions();
        let progress = match inbox.call_at(current) {
            Ok((_, Call::Wait { how: Completing::Any, requests, .. }, _)) => {
                self.look_for_any(line, requests)
            }
            Ok((_, Call::Wait { how, requests, .. }, _)) => self.look_at_one(line, how, requests),
            Ok((_, Call::Probe { context, from, tag, take, .. }, _)) => {
                let key = Key::new(context, from, tag);
                self.look_for_message(line, &Probe { key, take })
            }
            _ => unreachable!("only polls are paid for before they look"),
        };
        self.settle(line, progress, true);
        self.core.ranks.line_mut(line).inbox.give_back(inbox);
        if self.core.take_unrecorded() {
            self.core.record_call(line);
        }
    }

    fn is_done(&self, line: LineId, request: RequestId) -> bool {
        self.core.ranks.slot(line, request).done.is_some()
    }

    fn look_for_any(&mut self, line: LineId, requests: &[RequestId]) -> Progress {
        if !requests.iter().any(|&request| self.is_done(line, request)) {
            self.polls.tests_of_any += 1;
            return Progress::Done;
        }
        self.polls.tests_of_any = 0;
        self.complete_poll(line, Completing::Any, requests)
    }

    fn look_at_one(&mut self, line: LineId, how: Completing, requests: &[RequestId]) -> Progress {
        let PollCost::First { test, .. } = self.core.protocol().poll else { unreachable!() };
        let at = self.polls.under_way[&line].at;
        let done = self.is_done(line, requests[at]);
        self.polls.tests = if done { 0 } else { self.polls.tests + 1 };
        if let Some(look) = self.polls.under_way.get_mut(&line) {
            look.at += 1;
            look.seen.extend(done.then_some(at as u32));
        }
        self.look_at_next(line, test, how, requests)
    }

    /// Pays for a look at the next request, or reports what was seen.
    #[inline(never)]
    fn look_at_next(
        &mut self,
        line: LineId,
        test: Duration,
        how: Completing,
        requests: &[RequestId],
    ) -> Progress {
        let ranks = &self.core.ranks;
        let known =
            |&request: &RequestId| ranks.slot(line, request).done.is_some_and(|done| done.index == SEEN);
        let Some(look) = self.polls.under_way.get_mut(&line) else { return Progress::Done };
        while look.at < requests.len() && known(&requests[look.at]) {
            look.seen.push(look.at as u32);
            look.at += 1;
        }
        if look.at < requests.len() {
            self.core.pay(line, after(test, self.polls.tests), Then::Look);
            return Progress::Blocked;
        }
        let seen = self.polls.under_way.remove(&line).unwrap_or_default().seen;
        self.report_seen(line, how, requests, &seen)
    }

    fn report_seen(
        &mut self,
        line: LineId,
        how: Completing,
        requests: &[RequestId],
        seen: &[u32],
    ) -> Progress {
        if how == Completing::All && seen.len() < requests.len() {
            for &position in seen {
                if let Some(done) = &mut self.core.ranks.slot_mut(line, requests[position as usize]).done {
                    done.index = SEEN;
                }
            }
            return Progress::Done;
        }
        if seen.is_empty() {
            return Progress::Done;
        }
        let complete: Vec<RequestId> = seen.iter().map(|&position| requests[position as usize]).collect();
        let progress = self.complete_poll(line, how, &complete);
        for completion in &mut self.core.ranks.line_mut(line).reply.completions {
            completion.index = seen[completion.index as usize];
        }
        progress
    }

    /// Puts requests that are complete into the reply.
    fn complete_poll(&mut self, line: LineId, how: Completing, requests: &[RequestId]) -> Progress {
        self.record_pause(line);
        self.core.ranks.start_wait(line, how, requests, self.core.now());
        Progress::Pay(self.core.gather_completions(line))
    }

    fn look_for_message(&mut self, line: LineId, probe: &Probe) -> Progress {
        if self.probe(line, probe) {
            self.polls.probes = 0;
            self.record_pause(line);
        } else {
            self.polls.probes += 1;
        }
        Progress::Done
    }

    /// The time paid for the poll is a pause before the call: traces keep the call without it, as one that succeeded at once.
    fn record_pause(&mut self, line: LineId) {
        let end = self.core.now();
        let state = self.core.ranks.line_mut(line);
        let (rank, start) = (state.rank, std::mem::replace(&mut state.entered, end));
        if end > start {
            self.core.observers.record_of(line, rank, &Record::Pause { rank: rank.get(), start, end });
        }
    }
}
