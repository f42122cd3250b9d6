//! Calls carried out, one after the other, each at its time.
//!
//! ```text
//! burst passes ─► delay passes ─► the call is carried out ─► done: the next call at once, or the reply
//!                                                        ├─► to be paid for: that, after a while
//!                                                        └─► blocked: something else wakes the line
//! ```
//!
//! What a line does at one instant it does in one go, as a program would.

use mpirage_call::{BLOCKING, Burst, Call, CommRequest, Completing, Completion, LineId, RequestId, Work};
use mpirage_record::Record;
use mpirage_units::Time;

use super::calls::Calls;
use super::fast_path::FastPath;
use super::figures::observe;
use super::files::FileCalls;
use super::match_choices::chosen_source;
use super::messages::Incoming;
use super::migrate::perform_migrate;
use super::task::{Progress, Task};
use crate::due::Due;
use crate::memory::Memory;
use crate::occupancy::ExecutionUnit;
use crate::origin::Origin;
use crate::ranks::line::{Claim, Phase, Then};
use crate::ranks::request::{Operation, Slot};
use crate::transport::matching::{Key, Probe};
use crate::transport::message::{Outgoing, Owner};
use crate::turn::Ending;
use crate::windows::exposure::Stretch;

impl<M: Memory> Calls<M> {
    /// Goes on with the calls of the inbox until something takes time.
    pub(super) fn next_call(&mut self, line: LineId) {
        let rank = self.core.ranks.rank_of(line);
        while !self.core.jobs.is_over(rank) {
            let goes_on = match self.try_fast_path(line) {
                FastPath::NotTaken => self.begin_call(line) && self.perform_next(line),
                taken => taken == FastPath::Done,
            };
            if !goes_on {
                break;
            }
        }
    }

    /// Turns to the next call of the inbox: first the burst before it passes. True if that takes no time.
    fn begin_call(&mut self, line: LineId) -> bool {
        let now = self.core.kernel.now();
        let state = self.core.ranks.line_mut(line);
        let rank = state.rank;
        let stamp = match state.inbox.next_stamp() {
            Some(Ok(stamp)) => stamp,
            None => {
                self.out_of_calls(line);
                return false;
            }
            Some(Err(error)) => {
                self.core.misuse(rank, error.to_string());
                return false;
            }
        };
        // In real time, the burst has begun when the line was resumed.
        (state.stamp, state.entered) = (stamp, self.work.real_time.take_start(line).unwrap_or(now));
        let burst = self.work.bursts.of(rank, &stamp);
        if self.samples.is_open(rank) {
            self.sample_passes(line, burst.unwrap_or_default());
        }
        match burst {
            Ok(Burst::NONE) => return self.pass_delay(line),
            Ok(Burst::TOO_LONG) => {
                self.core.misuse(rank, "it computes for more than 52 days between two calls".to_owned());
            }
            Ok(burst) => self.processing().start_work(line, Work::from(burst), Claim::Burst),
            Err(position) => {
                let text = format!(
                    "the recorded costs end after {position} calls of this rank: they are of another run"
                );
                self.core.misuse(rank, text);
            }
        }
        false
    }

    /// The burst before a call is over.
    pub(super) fn after_burst(&mut self, line: LineId) {
        if self.pass_delay(line) {
            self.after_delay(line);
        }
    }

    /// The delay before a call has passed.
    pub(super) fn delay_done(&mut self, line: LineId) {
        let (rank, delay) = (self.core.ranks.rank_of(line).get(), self.core.ranks.line(line).stamp.delay);
        self.core.ranks.pass_ideal(line, delay);
        let end = self.core.kernel.now();
        let start = Time::from_picos(end.as_picos() - delay.as_picos());
        self.core.observers.record(&Record::Pause { rank, start, end });
        self.after_delay(line);
    }

    fn after_delay(&mut self, line: LineId) {
        if self.perform_next(line) {
            self.core.tasks.push_back(Task::NextCall(line));
        }
    }

    /// Lets the delay before a call pass. True if there is none.
    fn pass_delay(&mut self, line: LineId) -> bool {
        let state = self.core.ranks.line_mut(line);
        let delay = state.stamp.delay;
        if !delay.is_zero() {
            state.phase = Phase::Delayed;
            self.core.kernel.start_timer(delay, Due::Line(line).token());
        }
        delay.is_zero()
    }

    /// There are no further calls in the inbox.
    pub(super) fn out_of_calls(&mut self, line: LineId) {
        let rank = self.core.ranks.rank_of(line);
        if !self.core.ranks.line(line).leaving {
            let text = "its last call needs no answer, but it waits for one".to_owned();
            return self.core.misuse(rank, text);
        }
        if self.processing().graph_is_busy(line) {
            return;
        }
        self.core.ranks.line_mut(line).phase = Phase::Gone;
        self.abandon_sample(line);
        self.core.show_output(rank);
        self.core.ranks.note_end(rank, self.core.kernel.now());
        self.core.jobs.line_ended(rank);
        self.core.record_end(line);
    }

    /// Carries out the next call. True if the one after it can follow at once.
    fn perform_next(&mut self, line: LineId) -> bool {
        self.core.ranks.line_mut(line).entered = self.core.kernel.now();
        if self.core.protocol.startup.is_some() && self.core.pay_startup(line) {
            return false;
        }
        if !self.core.occupancy.is_none() && self.processing().call_waits(line) {
            return false;
        }
        self.perform_now(line)
    }

    /// The beginning of a call is paid for, or its processor is free.
    pub(super) fn after_startup(&mut self, line: LineId) {
        if self.perform_now(line) {
            self.core.tasks.push_back(Task::NextCall(line));
        }
    }

    /// Carries out the next call, whose beginning is paid for. True if the one after it can follow at once.
    fn perform_now(&mut self, line: LineId) -> bool {
        let state = self.core.ranks.line_mut(line);
        let inbox = state.inbox.borrow();
        let (next, _) = state.inbox.positions();
        // By reference: a call is large, and moving it costs more than reading it.
        let goes_on = match &inbox.call_at(next) {
            Ok((_, call, words)) => {
                state.inbox.enter_next(*words);
                self.carry_out(line, call)
            }
            Err(error) => {
                let rank = state.rank;
                self.core.misuse(rank, error.to_string());
                false
            }
        };
        self.core.ranks.line_mut(line).inbox.give_back(inbox);
        goes_on
    }

    fn carry_out(&mut self, line: LineId, call: &Call<'_>) -> bool {
        let needs_answer = call.needs_answer();
        let state = self.core.ranks.line_mut(line);
        state.in_function = is_function(call);
        if needs_answer {
            state.reply.clear();
            let rank = state.rank;
            self.core.show_output(rank);
        }
        if is_function(call) {
            self.core.make_progress(line);
            self.one_sided().make_progress(line);
        }
        let progress = self.perform(line, call);
        let goes_on = self.settle(line, progress, needs_answer);
        if self.core.observers.wants_arguments() && std::mem::take(&mut self.core.unrecorded) {
            self.core.record_details(line, call);
        }
        goes_on
    }

    /// A call went like this. True if the next call can follow at once.
    pub(super) fn settle(&mut self, line: LineId, progress: Progress, needs_answer: bool) -> bool {
        let then = if needs_answer { Then::Reply } else { Then::NextCall };
        match (progress, then) {
            (Progress::Blocked, _) => return false,
            (Progress::Pay(cost), then) if !cost.is_zero() => {
                self.core.pay(line, cost, then);
                return false;
            }
            (_, Then::Reply) => self.core.make_ready(line),
            (_, _) => self.core.record_call(line),
        }
        then == Then::NextCall
    }

    fn perform(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        if !matches!(
            call,
            Call::Wait { poll: true, .. }
                | Call::Probe { poll: true, .. }
                | Call::Now
                | Call::Output
                | Call::ReadFigure { .. }
        ) {
            self.core.ranks.poll_over(line);
        }
        if self.refuse_inside_sample(line, call) || self.checked && self.refuse_nonsense(line, call) {
            return Progress::Blocked;
        }
        let rank = self.core.ranks.rank_of(line);
        match *call {
            Call::Init => {
                let first = self.core.ranks.initialize(rank);
                let late = self.core.protocol.noise.late_start(rank);
                if first && !late.is_zero() {
                    return Progress::Pay(late);
                }
            }
            Call::Finalize => self.core.ranks.finalize(rank, self.core.kernel.now()),
            Call::Abort { code } => {
                self.core.end_job(rank, Ending::Aborted { rank: rank.get(), code });
                return Progress::Blocked;
            }
            Call::Misuse { text } => {
                self.core.misuse(rank, text.to_owned());
                return Progress::Blocked;
            }
            // The clock is read first and paid for afterwards, by the delay of the rank's next call. The value of a sample
            // was taken when its burst began.
            Call::Now | Call::When | Call::Flush | Call::SampleEnd => {}
            Call::CallPath { site, frames } => self.core.observers.call_path(rank, site, frames),
            // For the recorder that checks the run.
            Call::Declare { .. }
            | Call::Observe { .. }
            | Call::Finding { .. }
            | Call::DeclareWindow { .. } => {}
            Call::Sleep { span } => {
                self.core.ranks.pass_ideal(line, span);
                let wakes = self.core.kernel.now() + span;
                return Progress::Pay(span + self.core.protocol.wake_up.lateness(rank, wakes));
            }
            Call::Output => self.core.show_output(rank),
            Call::Send { .. } => return self.perform_send(line, call),
            Call::Recv { .. } => return self.perform_recv(line, call),
            Call::Wait { how, poll, requests } => return self.perform_wait(line, how, poll, requests),
            Call::Probe { context, from, tag, poll, take } => {
                let from = if poll { from } else { chosen_source(&mut self.choices, rank, from) };
                let key = Key::new(context, from, tag);
                return self.perform_probe(line, Probe { key, take }, poll);
            }
            Call::Cancel { request } => self.cancel_request(line, request),
            Call::Free { request } => self.free_request(line, request),
            Call::FreeComm { context } => {
                self.core.windows.exposures.forget(context, rank);
                self.core.collectives.free_comm(context);
                FileCalls { core: &mut self.core }.close(context, rank);
            }
            Call::Collective(ref collective) => {
                self.core.enter_collective(line, collective);
                return if collective.request.is_some() { Progress::Done } else { Progress::Blocked };
            }
            Call::MakeComm { parent, how } => {
                self.core.enter_creation(line, parent, how);
                let later = matches!(how, CommRequest::DupLater { .. });
                return if later { Progress::Done } else { Progress::Blocked };
            }
            Call::SampleBegin { site, global, rule } => return self.begin_sample(line, site, global, rule),
            Call::Compute { work, request } => return self.processing().compute(line, work, request),
            Call::TakeCompleted => return self.perform_take_completed(line),
            Call::ExecutionUnit { cpu, nic, after, tell } => {
                if let Some(graphs) = self.core.occupancy.graphs() {
                    graphs.choose_unit(ExecutionUnit { cpu, nic, tell, after });
                }
            }
            Call::Expose { window, origin, unit, base, bytes } => {
                let stretch = Stretch { address: base, bytes };
                self.core.windows.exposures.add((window, rank), origin, unit, stretch);
            }
            Call::Withdraw { window, base } => self.core.windows.exposures.remove((window, rank), base),
            Call::Access(ref access) => return self.one_sided().perform_access(line, access),
            Call::AwaitAccesses { window, target } => {
                return self.one_sided().await_accesses(line, window, target);
            }
            Call::Lock { window, target, exclusive } => {
                return self.one_sided().perform_lock(line, window, target, exclusive);
            }
            Call::Unlock { window, target } => self.one_sided().perform_unlock(line, window, target),
            Call::FileOpen { .. }
            | Call::FileAccess(_)
            | Call::FileMetadata { .. }
            | Call::FilePointer { .. }
            | Call::FileDelete { .. }
            | Call::PosixIo { .. } => return FileCalls { core: &mut self.core }.perform(line, call),
            Call::Migrate { state_bytes } => return perform_migrate(&mut self.core, line, state_bytes),
            Call::ReadFigure { figure } => observe(&mut self.core, line, figure),
            // It is recorded, with its level.
            Call::Control { .. } => {}
            Call::Share { site } => self.share(line, site),
            Call::Publish { service, port } => {
                self.names.publish(service, port, &mut self.core.ranks.line_mut(line).reply);
            }
            Call::LookUp { service } => {
                self.names.look_up(service, &mut self.core.ranks.line_mut(line).reply)
            }
            Call::Spawn { ranks, port, order } => {
                self.spawning.start(&mut self.core, line, ranks, port, order);
            }
            Call::Tally(tally) => self.samples.count(tally),
        }
        Progress::Done
    }

    fn perform_send(&mut self, line: LineId, call: &Call<'_>) -> Progress {
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
        let outgoing =
            |owner| Outgoing { from: rank, to: peer, key, bytes, payload, mode, owner, origin, ideal };
        if request.is_none() && !self.core.protocol.transfer_mode(mode, bytes).sender_waits() {
            self.core.post_send(outgoing(Owner::None));
            self.core.take_events();
            return self.finish_blocking_send(line, bytes, answer);
        }
        let id = request.unwrap_or(BLOCKING);
        self.core.ranks.open_request(line, id, Operation::Send { context, to, tag, message: None });
        let owner = self.core.ranks.owner(line, id);
        self.core.post_request_send(line, id, outgoing(owner));
        if request.is_some() {
            if self.core.occupancy.has_graphs() {
                return Progress::Done;
            }
            return Progress::Pay(self.core.protocol.isend_overhead.of(bytes));
        }
        // A rendezvous: the bytes are still in the program's buffer.
        if self.core.ranks.start_wait(line, Completing::All, &[BLOCKING]) {
            self.core.gather_completions(line);
            return Progress::Pay(self.core.protocol.send_overhead.of(bytes));
        }
        self.block_waiting(line)
    }

    /// A blocking send that was complete at once.
    fn finish_blocking_send(&mut self, line: LineId, bytes: u64, answer: bool) -> Progress {
        if answer {
            self.core.ranks.line_mut(line).reply.completions.push(Completion::empty(0));
        }
        let protocol = &self.core.protocol;
        Progress::Pay(protocol.send_overhead.of(bytes) + protocol.copy_out(bytes))
    }

    fn block_waiting(&mut self, line: LineId) -> Progress {
        self.core.ranks.line_mut(line).phase = Phase::Waiting;
        self.core.foresee_end_of_wait(line);
        Progress::Blocked
    }

    fn perform_recv(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        let Call::Recv { context, from, tag, bytes, address, request, matched } = *call else {
            unreachable!()
        };
        let id = request.unwrap_or(BLOCKING);
        let rank = self.core.ranks.rank_of(line);
        let from = if matched.is_none() { chosen_source(&mut self.choices, rank, from) } else { from };
        let key = Key::new(context, from, tag);
        let operation = Operation::Recv { context, from: key.source, tag: key.tag, receive: None };
        self.core.ranks.open_request(line, id, operation);
        self.core.post_request_receive(line, id, Incoming { key, room: bytes, address, matched });
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

    fn wait_for_blocking(&mut self, line: LineId) -> Progress {
        let complete = self.core.ranks.start_wait(line, Completing::All, &[BLOCKING]);
        self.wait_or_poll(line, complete, false)
    }

    fn perform_wait(
        &mut self,
        line: LineId,
        how: Completing,
        poll: bool,
        requests: &[RequestId],
    ) -> Progress {
        if poll && let Some(progress) = self.begin_test(line, how, requests) {
            return progress;
        }
        let complete = self.core.ranks.start_wait(line, how, requests);
        self.wait_or_poll(line, complete, poll)
    }

    fn wait_or_poll(&mut self, line: LineId, complete: bool, poll: bool) -> Progress {
        let now = self.core.kernel.now();
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
            self.pay_failed_poll(line)
        } else {
            self.block_waiting(line)
        }
    }

    fn pay_failed_poll(&mut self, line: LineId) -> Progress {
        let polled = self.core.ranks.poll_failed(line, self.core.kernel.now());
        Progress::Pay(self.core.protocol.poll.of(polled))
    }

    /// What a line waited for is complete.
    pub(super) fn finish_wait(&mut self, line: LineId) {
        let cost = self.core.gather_completions(line);
        let rank = self.core.ranks.rank_of(line);
        let busy = self.core.occupancy.busy_after_wait(rank, self.core.kernel.now());
        self.core.reply_after(line, cost.max(busy));
    }

    fn perform_take_completed(&mut self, line: LineId) -> Progress {
        if self.core.ranks.has_completed(self.core.ranks.rank_of(line)) {
            return Progress::Pay(self.core.ranks.take_completed(line, &self.core.protocol.recv_overhead));
        }
        self.core.ranks.line_mut(line).phase = Phase::TakingCompleted;
        Progress::Blocked
    }

    /// A line that takes completed requests has some.
    pub(super) fn finish_take_completed(&mut self, line: LineId) {
        let cost = self.core.ranks.take_completed(line, &self.core.protocol.recv_overhead);
        self.core.reply_after(line, cost);
        let rank = self.core.ranks.rank_of(line);
        if let Some(graphs) = self.core.occupancy.graphs() {
            self.core.ranks.line_mut(line).reply.now = graphs.take_end(rank);
        }
    }

    fn perform_probe(&mut self, line: LineId, probe: Probe, poll: bool) -> Progress {
        if poll && let Some(progress) = self.begin_probe(line) {
            return progress;
        }
        if self.probe(line, &probe) {
            self.core.ranks.poll_over(line);
            return Progress::Done;
        }
        if poll {
            return self.pay_failed_poll(line);
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
    fn free_request(&mut self, line: LineId, id: RequestId) {
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
    fn cancel_request(&mut self, line: LineId, id: RequestId) {
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

/// Is the call an MPI function's, rather than the library's own?
fn is_function(call: &Call<'_>) -> bool {
    !matches!(
        call,
        Call::Output
            | Call::Flush
            | Call::Now
            | Call::Sleep { .. }
            | Call::SampleBegin { .. }
            | Call::SampleEnd
            | Call::Compute { .. }
            | Call::TakeCompleted
            | Call::ExecutionUnit { .. }
            | Call::Expose { .. }
            | Call::Share { .. }
            | Call::Publish { .. }
            | Call::LookUp { .. }
            | Call::PosixIo { .. }
            | Call::CallPath { .. }
            | Call::ReadFigure { .. }
            | Call::Tally(_)
    )
}
