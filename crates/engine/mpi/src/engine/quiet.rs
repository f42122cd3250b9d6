//! Polls that lines answer themselves.
//!
//! A program that polls asks again and again, and each question would be a switch to the engine and back. So the answer to a poll that
//! failed says before which date nothing can happen that the poll would see ([`Quiet`]). Until then the line answers the same poll itself,
//! leaves a `Call::RepeatedPoll`, and runs on; the engine carries these out afterwards, each at its date, as if it had been asked.
//!
//! ```text
//! line    Test ─► fails, quiet until t │ Test, Test, Test: fail │ Test, which is at t or later: asks
//! engine          time of the answer   │                        └─► carries out all four, one after the other
//! ```
//!
//! When the line gets its answer, what it asks for has not come meanwhile, and nobody else has a turn at that instant, nothing happens
//! before the kernel's next instant: the other lines wait for something that the kernel reports, and this line does nothing but poll. The
//! engine lets lines go on after a poll in the order in which they would have been resumed, so what happens at one instant happens in the
//! same order too.
//!
//! Often others poll as well, and the next instant is that of their next poll. What they do then reaches a receive of this line only as a
//! message, and each takes at least the latency of the network. So a test of receives fails until that has passed, or until a transfer
//! that is under way comes to something.
//!
//! A line that is told a failure too many has lost nothing but time: it asks again. So programs stay right even if their own idea of
//! simulated time is not exact.

use mpirage_call::{Call, Completing, FailedPollCost, LineId, Quiet};
use mpirage_units::Time;

use super::calls::Calls;
use super::core::Core;
use super::task::Task;
use super::wiring::Engine;
use crate::due::Due;
use crate::memory::Memory;
use crate::protocol::PollCost;
use crate::ranks::line::Phase;
use crate::ranks::request::Operation;
use crate::transport::matching::{Key, Probe};

/// Timers under way up to which latencies count: all are looked at.
const FEW_TIMERS: usize = 64;

impl<M: Memory> Core<M> {
    /// A poll that failed has been paid for.
    #[cold]
    pub(crate) fn failed_poll_paid(&mut self, line: LineId) {
        let now = self.now();
        let state = self.ranks.line_mut(line);
        state.phase = Phase::Ready;
        (state.reply.now, state.reply.early) = (now, false);
        let released = state.released;
        self.turns.after_poll(line);
        if released {
            self.release_ready(line);
        }
        self.record_call(line);
    }

    /// May lines answer polls themselves?
    fn lines_may_poll(&self) -> bool {
        // Recorders that want arguments want those of each poll. Where calls wait for a processor, a line does not know the dates of its
        // polls; threads and shared memory tell it things that the engine does not know.
        let polls_are_dated = self.occupancy.is_none();
        let usual = self.migrations.is_none() && !self.ranks.have_threads();
        polls_are_dated && usual && !self.observers.wants_arguments()
    }

    /// Would the poll that a line is in fail again? What it asks for may have come while it was paid for.
    fn fails_still(&mut self, line: LineId) -> bool {
        let rank = self.ranks.rank_of(line);
        match self.ranks.line(line).inbox.current_call() {
            Some(Call::Wait { how, requests, .. }) => {
                let mut done = requests.iter().map(|&id| self.ranks.slot(line, id).done.is_some());
                if how == Completing::All { !done.all(|done| done) } else { !done.any(|done| done) }
            }
            Some(Call::Probe { context, from, tag, .. }) => {
                let key = Key::new(context, from, tag);
                self.transport.probe(rank, &Probe { key, take: false }).is_none()
            }
            _ => false,
        }
    }

    /// Does a line test receives alone? They end when a message has come, and no sooner. Probes may see it as soon as it is sent.
    fn tests_receives(&self, line: LineId) -> bool {
        let Some(Call::Wait { requests, .. }) = self.ranks.line(line).inbox.current_call() else {
            return false;
        };
        requests.iter().all(|&id| matches!(self.ranks.slot(line, id).operation, Operation::Recv { .. }))
    }
}

impl<M: Memory> Calls<M> {
    /// Finds the date until which a line's polls are known to fail, before the line is resumed.
    fn foresee_polls(&mut self, line: LineId) -> Option<Quiet> {
        let PollCost::Proportional { least, share } = self.core.protocol().poll else { return None };
        if !self.core.lines_may_poll() || self.core.has_tasks() || !self.core.fails_still(line) {
            return None;
        }
        let nothing = self.before_anything();
        let until = nothing.max(self.before_messages(line));
        let since = self.core.ranks.line(line).polling.since;
        let cost = FailedPollCost { least, share };
        until.filter(|&until| until > self.core.now()).map(|until| Quiet { until, since, cost })
    }

    /// Before this date nothing happens.
    fn before_anything(&mut self) -> Option<Time> {
        self.core.wire.known_instant().filter(|_| self.core.turns.is_empty())
    }

    /// Before this date no message comes, if the line tests receives.
    fn before_messages(&mut self, line: LineId) -> Option<Time> {
        if !self.core.tests_receives(line) {
            return None;
        }
        let latency = self.latencies.of(&self.core, self.core.ranks.rank_of(line));
        let sends = |token| !matches!(Due::of(token), Due::Transfer(_));
        let (sends, arrives) = self.core.wire.kernel().known_instants(FEW_TIMERS, sends)?;
        let sends = if self.core.turns.is_empty() { sends } else { self.core.now() };
        Some(arrives.min(sends + latency))
    }
}

impl<M: Memory> Engine<M> {
    /// After a failed poll, carries out the next calls of a line if it has left some. Otherwise the driver resumes the line, and the reply
    /// says how long its polls will fail.
    #[cold]
    pub(super) fn goes_on_after_poll(&mut self, line: LineId) -> bool {
        let state = self.calls.core.ranks.line_mut(line);
        if state.inbox.has_next() || state.leaving {
            state.phase = Phase::Running;
            self.calls.core.push_task(Task::NextCall(line));
            return true;
        }
        self.calls.core.turns.count_resumed();
        if let Some(quiet) = self.calls.foresee_polls(line) {
            self.calls.core.ranks.line_mut(line).reply.members = quiet.pack();
        }
        false
    }
}
