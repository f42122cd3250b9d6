//! Requests.

use mpirage_call::{Completion, ContextId};
use mpirage_units::{Duration, Time};

use crate::ids::{InstanceId, MessageId, ReceiveId};
use crate::origin::Origin;
use crate::protocol::Overhead;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Operation {
    #[default]
    Unused,
    Send {
        context: ContextId,
        to: u32,
        tag: i32,
        /// Its message, while that may be asked for.
        message: Option<MessageId>,
    },
    /// With `ANY_SOURCE` and `ANY_TAG` where anything will do.
    Recv {
        context: ContextId,
        from: u32,
        tag: i32,
        /// Its receive, while that is not complete.
        receive: Option<ReceiveId>,
    },
    Collective {
        instance: InstanceId,
    },
    /// A computation beside the rank.
    Work,
    /// An access to a window, or a wait for accesses or locks.
    Window,
    /// An access to a file.
    File,
}

/// One request of a rank: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub operation: Operation,
    /// The call that opened it.
    pub origin: Origin,
    pub done: Option<Completion>,
    /// When it is complete by ideal clocks ([`crate::ideal`]), as far as that is known; at first, when it was opened.
    pub ideal: Time,
    /// Are the bytes of its message still in the rank's memory although the request is complete?
    pub lent: bool,
    /// Does a line wait for it right now?
    pub awaited: bool,
    /// If so, may it still complete in different ways?
    pub uncertain: bool,
    /// Freed by the program before it completed.
    pub detached: bool,
}

impl Slot {
    pub(crate) const UNUSED: Slot = Slot {
        operation: Operation::Unused,
        origin: Origin::UNKNOWN,
        done: None,
        ideal: Time::ZERO,
        lent: false,
        awaited: false,
        uncertain: false,
        detached: false,
    };

    /// Can a line wait for it?
    pub(crate) fn is_open(&self) -> bool {
        self.operation != Operation::Unused && !self.detached
    }

    /// The operation is complete; by ideal clocks not before `ideal`. Inlined, so that the completion is made in its slot: a
    /// copy of it would stall on store forwarding.
    #[inline(always)]
    pub(crate) fn complete(&mut self, completion: Completion, ideal: Time) {
        if let Operation::Recv { receive, .. } = &mut self.operation {
            *receive = None;
        }
        self.done = Some(completion);
        self.ideal = self.ideal.max(ideal);
    }

    /// The request may be used again.
    pub(crate) fn close(&mut self) {
        (self.operation, self.done, self.detached, self.lent) = (Operation::Unused, None, false, false);
    }

    /// Is it a receive?
    pub(crate) fn receives(&self) -> bool {
        matches!(self.operation, Operation::Recv { .. })
    }

    /// The cost of taking the message that it has received.
    pub(crate) fn receiving_cost(&self, overhead: &Overhead) -> Duration {
        match self.done {
            Some(completion) if self.receives() && !completion.cancelled => overhead.of(completion.bytes),
            _ => Duration::ZERO,
        }
    }

    /// The message of a send.
    pub(crate) fn message(&self) -> Option<MessageId> {
        if let Operation::Send { message, .. } = self.operation { message } else { None }
    }

    /// Its message no longer needs the rank's memory. The request may be another one's by now.
    pub(crate) fn end_loan(&mut self, message: MessageId) {
        self.lent &= self.message() != Some(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_cache_line() {
        assert_eq!(size_of::<Slot>(), 64);
    }
}
