//! Looks ahead in the events of a rank: what a request is for is in the record of its completion.
//!
//! The record of a nonblocking receive has only the number of its request; who sent, and how much, follows when it is complete. A replay
//! has to post the receive at once. So a second place in the file runs ahead of the first, up to the completion that is asked for. What
//! it passes is kept until it is asked for: memory grows with the requests between both places, not with the file.

use std::collections::{HashMap, VecDeque};

use mpirage_otf2::{Event, MpiMessage, OperationEnd};

use super::records::Records;
use crate::TraceError;
use crate::source::Source;

/// How a request ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// A receive got this message.
    Received(MpiMessage),
    /// A collective of this kind is complete.
    Performed(OperationEnd),
    /// It was cancelled.
    Cancelled,
}

/// The place ahead.
#[derive(Debug)]
pub(super) struct Ahead {
    records: Records,
    /// Outcomes that have been passed, by request. A number may be used again, so the first belongs to the first request.
    passed: HashMap<u64, VecDeque<Outcome>>,
}

impl Ahead {
    pub fn new(records: Records) -> Ahead {
        Ahead { records, passed: HashMap::new() }
    }

    /// How the next request with this number ends; none if it does not.
    pub fn outcome(&mut self, request: u64, source: &Source) -> Result<Option<Outcome>, TraceError> {
        if let Some(outcomes) = self.passed.get_mut(&request) {
            let outcome = outcomes.pop_front();
            if outcomes.is_empty() {
                self.passed.remove(&request);
            }
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        while let Some(timed) = self.records.event(source)? {
            let (number, outcome) = match timed.event {
                Event::Irecv(message, number) => (number, Outcome::Received(message)),
                Event::CollectiveComplete(end, number) => (number, Outcome::Performed(end)),
                Event::RequestCancelled(number) => (number, Outcome::Cancelled),
                _ => continue,
            };
            if number == request {
                return Ok(Some(outcome));
            }
            self.passed.entry(number).or_default().push_back(outcome);
        }
        Ok(None)
    }

    /// The rank has passed the completion of a request that it never asked for.
    pub fn forget(&mut self, request: u64) {
        if let Some(outcomes) = self.passed.get_mut(&request) {
            outcomes.pop_front();
            if outcomes.is_empty() {
                self.passed.remove(&request);
            }
        }
    }
}
