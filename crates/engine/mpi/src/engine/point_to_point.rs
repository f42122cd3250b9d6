//! Sends, receives, probes, and waits for requests.

use mpirage_call::{BLOCKING, Call, Completing, Completion, LineId, PointToPointCall, RequestId};
use mpirage_units::{Duration, Time};

use super::calls::Calls;
use super::match_choices::chosen_source;
use super::messages::Incoming;
use super::task::Progress;
use crate::memory::Memory;
use crate::origin::Origin;
use crate::ranks::line::{Phase, Then};
use crate::ranks::request::{Operation, Slot};
use crate::transport::matching::{Key, Probe};
use crate::transport::message::{Outgoing, Owner};
use crate::working_set::WorkingSet;

/// Looks at memory in a row that take no time: a program that only wants its own stores to be seen looks once.
const FREE_LOOKS: u32 = 16;

impl<M: Memory> Calls<M> {
    /// Carries out a call other than a send or a receive.
    #[inline(always)]
    pub(super) fn perform_point_to_point(&mut self, line: LineId, call: PointToPointCall<'_>) -> Progress {
        match call {
            PointToPointCall::Send { .. } | PointToPointCall::Recv { .. } => {
                unreachable!("carried out without asking for their family")
            }
            PointToPointCall::Wait { how, poll, requests } => {
                return self.perform_wait(line, how, poll, requests);
            }
            PointToPointCall::Probe { context, from, tag, poll, take } => {
                let rank = self.core.ranks.rank_of(line);
                let from = if poll { from } else { chosen_source(&mut self.choices, rank, from) };
                let key = Key::new(context, from, tag);
                return self.perform_probe(line, Probe { key, take }, poll);
            }
            PointToPointCall::Cancel { request } => self.cancel_request(line, request),
            PointToPointCall::Free { request } => self.free_request(line, request),
            PointToPointCall::FailedPoll { span } => return Progress::Pay(span),
            PointToPointCall::RepeatedPoll => return self.repeat_failed_poll(line),
        }
        Progress::Done
    }

    #[inline(never)]
    pub(super) fn perform_send(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        let Call::Send { mode, context, to, tag, bytes, payload, request, answer } = *call else {
            unreachable!()
        };
        let state = self.core.ranks.line(line);
        let (rank, ideal, origin) = (state.rank, state.ideal, Origin::of(&state.stamp));
        let Some((me, peer)) = self.core.collectives.comms().address(context, rank, to) else {
            self.core.misuse(rank, format!("rank {to} does not exist in this communicator"));
            return Progress::Blocked;
        };
        let key = Key::new(context, Some(me), Some(tag));
        let working_set = WorkingSet::default();
        let outgoing = |owner| Outgoing {
            from: rank,
            to: peer,
            key,
            bytes,
            payload,
            mode,
            working_set,
            owner,
            origin,
            ideal,
        };
        if request.is_none() && !self.core.protocol().transfer_mode(mode, bytes).sender_waits() {
            self.core.post_send(outgoing(Owner::None));
            self.core.take_events();
            return self.finish_blocking_send(line, bytes, answer);
        }
        let id = request.unwrap_or(BLOCKING);
        let owner = self.core.ranks.owner(line, id);
        self.core.post_request_send(line, id, (context, to), outgoing(owner));
        if request.is_some() {
            if self.core.occupancy.has_graphs() {
                return Progress::Done;
            }
            return Progress::Pay(self.core.protocol().overhead_meanwhile(bytes, false));
        }
        // A rendezvous: the bytes are still in the program's buffer.
        if self.core.ranks.start_wait(line, Completing::All, &[BLOCKING], self.core.now()) {
            self.core.gather_completions(line);
            return Progress::Pay(self.core.protocol().overhead_meanwhile(bytes, true));
        }
        self.block_waiting(line)
    }

    /// A blocking send that was complete at once.
    #[inline(always)]
    pub(super) fn finish_blocking_send(&mut self, line: LineId, bytes: u64, answer: bool) -> Progress {
        if answer {
            self.core.ranks.line_mut(line).reply.completions.push(Completion::empty(0));
        }
        let protocol = self.core.protocol();
        Progress::Pay(protocol.overhead_meanwhile(bytes, true) + protocol.copy_out(bytes))
    }

    fn block_waiting(&mut self, line: LineId) -> Progress {
        self.core.ranks.line_mut(line).phase = Phase::Waiting;
        self.core.foresee_end_of_wait(line);
        Progress::Blocked
    }

    #[inline(never)]
    pub(super) fn perform_recv(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        let Call::Recv { context, from, tag, bytes, address, request, matched } = *call else {
            unreachable!()
        };
        let id = request.unwrap_or(BLOCKING);
        let rank = self.core.ranks.rank_of(line);
        let from = if matched.is_none() { chosen_source(&mut self.choices, rank, from) } else { from };
        let key = Key::new(context, from, tag);
        self.core.post_request_receive(line, id, context, Incoming { key, room: bytes, address, matched });
        if self.core.occupancy.has_graphs() {
            return Progress::Done;
        }
        let meanwhile = self.core.receive_startup(rank, context, from);
        if request.is_some() {
            return Progress::Pay(meanwhile);
        }
        if !meanwhile.is_zero() {
            self.core.pay(line, meanwhile, Then::Await);
            return Progress::Blocked;
        }
        self.wait_for_blocking(line)
    }

    /// A blocking receive has been paid for.
    pub(super) fn await_blocking(&mut self, line: LineId) {
        let progress = self.wait_for_blocking(line);
        self.settle(line, progress, true);
    }

    pub(super) fn wait_for_blocking(&mut self, line: LineId) -> Progress {
        let complete = self.core.ranks.start_wait(line, Completing::All, &[BLOCKING], self.core.now());
        self.wait_or_poll(line, complete, false)
    }

    pub(super) fn perform_wait(
        &mut self,
        line: LineId,
        how: Completing,
        poll: bool,
        requests: &[RequestId],
    ) -> Progress {
        if poll && requests.is_empty() {
            return self.look_at_memory(line);
        }
        if poll && let Some(progress) = self.begin_test(line, how, requests) {
            return progress;
        }
        let complete = self.core.ranks.start_wait(line, how, requests, self.core.now());
        self.wait_or_poll(line, complete, poll)
    }

    fn wait_or_poll(&mut self, line: LineId, complete: bool, poll: bool) -> Progress {
        let now = self.core.now();
        if complete {
            self.core.ranks.poll_over(line);
            let cost = self.core.gather_completions(line);
            let rank = self.core.ranks.rank_of(line);
            Progress::Pay(if poll {
                cost
            } else {
                cost.max(self.core.occupancy.busy_with_message(rank, now))
            })
        } else if poll {
            self.core.ranks.stop_waiting(line);
            self.pay_failed_poll(line, true)
        } else {
            self.block_waiting(line)
        }
    }

    /// The line looks at memory that others change (`MPI_Win_sync`), and the engine does not know what it finds. A line that looks again and
    /// again has not found what it waits for, so time has to pass.
    fn look_at_memory(&mut self, line: LineId) -> Progress {
        self.core.ranks.start_wait(line, Completing::All, &[], self.core.now());
        let cost = self.core.gather_completions(line);
        let cost_of_failure = self.cost_of_failed_poll(line);
        let free = self.core.ranks.line(line).polling.failures <= FREE_LOOKS;
        Progress::Pay(if free { cost } else { cost_of_failure })
    }

    fn cost_of_failed_poll(&mut self, line: LineId) -> Duration {
        let polled = self.core.ranks.poll_failed(line, self.core.now());
        self.core.protocol().poll.of(polled)
    }

    /// A poll has failed. The line waits for the answer, or has answered it itself.
    #[cold]
    pub(super) fn pay_failed_poll(&mut self, line: LineId, answer: bool) -> Progress {
        let cost = self.cost_of_failed_poll(line);
        if cost.is_zero() {
            return Progress::Done;
        }
        self.core.pay(line, cost, Then::AfterPoll);
        if answer {
            self.core.release(line);
        }
        Progress::Blocked
    }

    /// A poll failed that the line has answered itself. That it counts as one is said here and not with the other polls, so that other
    /// calls need not look whether they are this one.
    #[cold]
    pub(super) fn repeat_failed_poll(&mut self, line: LineId) -> Progress {
        self.core.ranks.still_polls(line);
        self.pay_failed_poll(line, false)
    }

    /// The wait of a line is over.
    pub(super) fn finish_wait(&mut self, line: LineId) {
        let cost = self.core.gather_completions(line);
        let rank = self.core.ranks.rank_of(line);
        let busy = self.core.occupancy.busy_after_wait(rank, self.core.now());
        self.core.reply_after(line, cost.max(busy));
    }

    pub(super) fn perform_take_completed(&mut self, line: LineId) -> Progress {
        if self.core.ranks.has_completed(self.core.ranks.rank_of(line)) {
            return Progress::Pay(self.core.ranks.take_completed(line));
        }
        self.core.ranks.line_mut(line).phase = Phase::TakingCompleted;
        Progress::Blocked
    }

    /// A line that takes completed requests has some.
    pub(super) fn finish_take_completed(&mut self, line: LineId) {
        let cost = self.core.ranks.take_completed(line);
        self.core.reply_after(line, cost);
        let rank = self.core.ranks.rank_of(line);
        if let Some(graphs) = self.core.occupancy.graphs() {
            self.core.ranks.line_mut(line).reply.now = graphs.take_end(rank);
        }
    }

    pub(super) fn perform_probe(&mut self, line: LineId, probe: Probe, poll: bool) -> Progress {
        if poll && let Some(progress) = self.begin_probe(line) {
            return progress;
        }
        if self.probe(line, &probe) {
            self.core.ranks.poll_over(line);
            return Progress::Done;
        }
        if poll {
            return self.pay_failed_poll(line, true);
        }
        self.await_message(line, probe);
        Progress::Blocked
    }

    /// Looks for a message; puts it into the reply if there is one.
    pub(super) fn probe(&mut self, line: LineId, probe: &Probe) -> bool {
        let rank = self.core.ranks.rank_of(line);
        let Some(id) = self.core.transport.probe(rank, probe) else { return false };
        let message = self.core.transport.message(id);
        let state = self.core.ranks.line_mut(line);
        state.ideal = state.ideal.max(message.ideal);
        state.reply.completions.push(message.completion());
        state.reply.message = probe.take.then_some(crate::ids::Id::index(id) as u32);
        true
    }

    fn await_message(&mut self, line: LineId, probe: Probe) {
        let state = self.core.ranks.line_mut(line);
        state.phase = Phase::Probing(probe);
        self.core.transport.await_message(line, state.rank, probe);
    }

    /// A message has come that a line probes for; another line may have taken it since.
    pub(super) fn finish_probe(&mut self, line: LineId, probe: Probe) {
        if self.probe(line, &probe) {
            self.core.make_ready(line);
        } else {
            self.await_message(line, probe);
        }
    }

    /// `MPI_Request_free`.
    pub(super) fn free_request(&mut self, line: LineId, id: RequestId) {
        let owner = self.core.ranks.owner(line, id);
        let slot = self.core.ranks.slot_mut(line, id);
        if slot.done.is_some() {
            let lent = slot.message().filter(|_| slot.lent);
            *slot = Slot::UNUSED;
            if let Some(message) = lent {
                self.core.transport.take_over(&mut self.core.data, message);
            }
            return;
        }
        // The rank may use the number again at once, so what is under way must not know it any more.
        match std::mem::replace(slot, Slot::UNUSED).operation {
            operation @ (Operation::Collective { .. }
            | Operation::Work
            | Operation::Window
            | Operation::File) => {
                (slot.operation, slot.detached) = (operation, true);
            }
            Operation::Send { message, .. } => self.core.transport.disown_send(message, owner),
            Operation::Recv { receive: Some(receive), .. } => self.core.transport.disown_receive(receive),
            Operation::Recv { receive: None, .. } | Operation::Unused => {}
        }
    }

    /// `MPI_Cancel`: a send or receive that has not matched completes as cancelled; anything else goes on.
    pub(super) fn cancel_request(&mut self, line: LineId, id: RequestId) {
        let owner = self.core.ranks.owner(line, id);
        let operation = self.core.ranks.slot(line, id).operation;
        let (transport, mut env) = self.core.transport();
        let taken_back = match operation {
            Operation::Recv { receive: Some(receive), .. } => transport.cancel_receive(receive),
            Operation::Send { message: Some(message), .. } => transport.cancel_send(&mut env, owner, message),
            _ => false,
        };
        self.core.take_events();
        if taken_back {
            let cancelled = Completion { cancelled: true, ..Completion::empty(0) };
            self.core.complete(owner, cancelled, Time::ZERO);
        }
    }
}
