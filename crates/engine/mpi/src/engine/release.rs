//! Early release: a line may go on as soon as its reply is final, before simulated time is there.
//!
//! A program's computation after a call depends on the call's answer and bytes, not on the date at which it returns. Once
//! these are certain, its process may run, on any core, while the engine works its way to that date. The engine takes the
//! calls that it makes meanwhile at that date and no sooner, so the order in which calls are carried out stays that of
//! simulated time.
//!
//! ```text
//! blocked ─► certain: bytes are moved ─► Turn::Release ─► the process runs ─┐
//!    └─────────► time passes as it would anyway ─► Turn::Resume ◄───────────┘ its calls are taken
//! ```
//!
//! | blocked in | certain when |
//! |---|---|
//! | a wait for all of some requests | every receive has its message and every send its receive: bytes may then move, because the program must not touch them before the wait is over |
//! | a collective, a new communicator | all have entered |
//! | a call that costs time | it has been carried out |
//! | the end of an instant | several lines are ready: all of them |
//!
//! Answers that depend on dates are never certain early: polls, probes, waits for any. A rank that has a file open is never released: it
//! reads and writes when simulated time is there, so that all see the same order.

use mpirage_call::{BLOCKING, Completing, Completion, LineId, RequestId};

use super::core::Core;
use crate::ids::{InstanceId, MessageId};
use crate::memory::Memory;
use crate::ranks::request::{Operation, Slot};
use crate::transport::message::Taker;

impl<M: Memory> Core<M> {
    /// Lines are released early from now on, or not any more.
    pub(crate) fn set_early(&mut self, wanted: bool) {
        self.turns.set_early(wanted);
        self.transport.report_matches(wanted);
    }

    /// The line's reply is final but for its date.
    pub(crate) fn release(&mut self, line: LineId) {
        if self.may_release(line) {
            let state = self.ranks.line_mut(line);
            (state.released, state.reply.early) = (true, true);
            self.turns.release(line);
        }
    }

    /// The line's reply is final, date and all.
    pub(crate) fn release_ready(&mut self, line: LineId) {
        if self.turns.are_early() && self.ranks.may_run_ahead(self.ranks.rank_of(line)) {
            self.turns.release(line);
        }
    }

    /// A line waits for requests: is it certain how they complete?
    #[inline(always)]
    pub(crate) fn foresee_end_of_wait(&mut self, line: LineId) {
        if self.turns.are_early() && self.ranks.line(line).wait.how == Completing::All {
            self.foresee(line);
        }
    }

    #[inline(never)]
    fn foresee(&mut self, line: LineId) {
        let mut wait = self.ranks.take_wait(line);
        wait.uncertain = 0;
        for &id in &wait.requests {
            let uncertain = !self.is_certain(self.ranks.slot(line, id));
            self.ranks.slot_mut(line, id).uncertain = uncertain;
            wait.uncertain += usize::from(uncertain);
        }
        let certain = wait.uncertain == 0;
        self.ranks.put_wait(line, wait);
        if certain {
            self.release_waiting(line);
        }
    }

    /// A message and a receive have matched, and bytes have yet to travel.
    pub(crate) fn matched_early(&mut self, id: MessageId, taker: Taker) {
        if let Taker::Receive(receive) = taker
            && let Some(receiver) = self.transport.note_taken(id, receive)
        {
            let wakeup = self.ranks.now_certain(receiver);
            self.wake(wakeup);
        }
        let message = self.transport.message(id);
        if message.sender_waits {
            let wakeup = self.ranks.now_certain(message.owner);
            self.wake(wakeup);
        }
    }

    /// Once all have entered a collective, each gets its results.
    pub(crate) fn settle_if_complete(&mut self, id: InstanceId) {
        if !self.turns.are_early() {
            return;
        }
        let (collectives, mut env) = self.collectives();
        for (line, request) in collectives.settle(&mut env, id) {
            if request == BLOCKING {
                self.release(line);
            } else {
                let wakeup = self.ranks.now_certain(self.ranks.owner(line, request));
                self.wake(wakeup);
            }
        }
    }

    /// Every request that the line waits for is certain: moves the bytes and says how they complete.
    pub(crate) fn release_waiting(&mut self, line: LineId) {
        if !self.may_release(line) {
            return;
        }
        let wait = self.ranks.take_wait(line);
        let mut completions = std::mem::take(&mut self.ranks.line_mut(line).reply.completions);
        completions.clear();
        for (index, &id) in wait.requests.iter().enumerate() {
            let completion = self.complete_early(line, id);
            completions.push(Completion { index: index as u32, ..completion });
        }
        self.ranks.put_wait(line, wait);
        self.ranks.line_mut(line).reply.completions = completions;
        self.release(line);
    }

    fn may_release(&self, line: LineId) -> bool {
        let state = self.ranks.line(line);
        self.turns.are_early() && !state.released && self.ranks.may_run_ahead(state.rank)
    }

    fn is_certain(&self, slot: &Slot) -> bool {
        slot.done.is_some()
            || match slot.operation {
                Operation::Unused | Operation::Work => true,
                Operation::Window | Operation::File => false,
                Operation::Send { message, .. } => {
                    message.is_some_and(|id| self.transport.message(id).taker.is_some())
                }
                Operation::Recv { receive, .. } => {
                    receive.is_some_and(|id| self.transport.taken_by(id).is_some())
                }
                Operation::Collective { instance } => {
                    self.collectives.instance(instance).is_some_and(|instance| instance.settled)
                }
            }
    }

    fn complete_early(&mut self, line: LineId, id: RequestId) -> Completion {
        let slot = *self.ranks.slot(line, id);
        let message = match slot.operation {
            Operation::Recv { receive, .. } if slot.done.is_none() => {
                receive.and_then(|receive| self.transport.taken_by(receive))
            }
            Operation::Send { message, .. } if slot.done.is_none() || slot.lent => message,
            _ => None,
        };
        if let Some(message) = message {
            self.transport.move_bytes_early(&mut self.data, message);
        }
        match (slot.done, slot.operation, message) {
            (Some(done), ..) => done,
            (None, Operation::Recv { .. }, Some(message)) => self.transport.message(message).completion(),
            _ => Completion::empty(0),
        }
    }
}
