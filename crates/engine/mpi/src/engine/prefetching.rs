//! Prefetching by the engine's loop, which knows the next events. Leaving all of it out changes no result.

use mpirage_call::LineId;
use mpirage_kernel::Event;

use super::core::Core;
use super::task::Task;
use super::wiring::Engine;
use crate::due::Due;
use crate::memory::{FARTHEST, Memory};

/// How many arrivals ahead a message is prefetched, and what it leads to.
const FAR: usize = 6;
const NEAR: usize = 3;

impl<M: Memory> Engine<M> {
    /// A line is about to run: prefetches what the next ones will need, the nearer the more. What is behind a pointer is
    /// fetched one turn after the pointer.
    #[inline]
    pub(super) fn fetch_next(&self) {
        for ahead in 0..=FARTHEST {
            let Some(line) = self.calls.core.turns.ahead(ahead) else { return };
            self.calls.core.data.memory().expect(line, ahead);
            match ahead {
                0 => self.calls.core.ranks.fetch_for_run(line),
                1 => {
                    self.calls.core.ranks.fetch_line(line);
                    self.calls.core.transport.fetch_queues(line);
                }
                _ => {}
            }
        }
    }

    /// A wait ends now: prefetches what the next ones will need, since many end at once as a rule.
    #[inline]
    pub(super) fn fetch_waits(&self) {
        if let Some(&Task::FinishWait(line)) = self.calls.core.task_ahead(NEAR) {
            self.calls.core.ranks.fetch_line(line);
        }
        if let Some(&Task::FinishWait(line)) = self.calls.core.task_ahead(1) {
            self.calls.core.ranks.fetch_for_wait(line);
        }
    }

    /// The first of these events happens now: prefetches what later ones will need.
    #[inline]
    pub(super) fn fetch_ahead(&self, events: &[Event]) {
        if events.len() <= 1 {
            return;
        }
        let message = |ahead: usize| Due::message(events.get(ahead)?.token);
        let Core { transport, ranks, .. } = &self.calls.core;
        if let Some(id) = message(FAR) {
            transport.fetch_message(id);
        }
        if let Some(id) = message(NEAR) {
            let (receiver, sender) = transport.fetch_receive(id);
            if let Some(rank) = receiver {
                ranks.fetch_line(LineId::first_of(rank));
            }
            ranks.fetch_owner(sender);
        }
        if let Some(id) = message(1) {
            ranks.fetch_owner(transport.receiver(id));
        }
    }
}
