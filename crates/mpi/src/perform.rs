//! Calls carried out, one after the other, each at its time.
//!
//! ```text
//! burst passes ─► delay passes ─► the call is carried out ─► done: the next call at once, or the reply
//!                                                        ├─► to be paid for: that, after a while
//!                                                        └─► blocked: something else wakes the rank
//! ```
//!
//! What a rank does at one instant it does in one go, as a program would.

use mpirage_call::wire::{decode_call, decode_stamp};
use mpirage_call::{BLOCKING, Burst, Call, CommRequest, Completion, Work};
use mpirage_units::Duration;

use crate::diagnosis::Origin;
use crate::engine::{Ending, Engine, Task, Turn};
use crate::graph::Lane;
use crate::memory::Memory;
use crate::message::{Outgoing, Owner, Receive};
use crate::plain::Short;
use crate::probe::Probing;
use crate::rank::{Claim, Phase, Then};
use crate::request::{Operation, key_of};
use crate::token;

/// How a call went.
pub(crate) enum Progress {
    Done,
    Pay(Duration),
    Blocked,
}

impl<M: Memory> Engine<M> {
    /// Goes on with the calls of the inbox until something takes time.
    pub(crate) fn next_call(&mut self, rank: u32) {
        while self.verdict.is_none() {
            let goes_on = match self.plain_call(rank) {
                Short::No => self.begin_call(rank) && self.perform_next(rank),
                short => short == Short::Done,
            };
            if !goes_on {
                break;
            }
        }
    }

    /// Turns to the next call of the inbox: first the burst before it passes. True if that takes no time.
    fn begin_call(&mut self, rank: u32) -> bool {
        let state = &mut self.ranks[rank as usize];
        let stamp = match decode_stamp(&state.inbox[state.cursor..]) {
            Ok(stamp) => stamp,
            Err(_) if state.cursor >= state.inbox.len() => {
                self.out_of_calls(rank);
                return false;
            }
            Err(error) => {
                self.misuse(rank, error.to_string());
                return false;
            }
        };
        state.stamp = stamp;
        state.entered = self.kernel.now();
        let burst = self.bursts.of(rank, &stamp);
        if self.samples.is_open(rank) {
            self.sample_passes(rank, burst.unwrap_or_default(), self.next_ends_sample(rank));
        }
        match burst {
            Ok(Burst::NONE) => self.pass_delay(rank),
            Ok(Burst::TOO_LONG) => {
                self.misuse(rank, "it computes for more than 52 days between two calls".to_owned());
                false
            }
            Ok(burst) => {
                let work = Work::from(burst);
                let state = &mut self.ranks[rank as usize];
                (state.phase, state.work) = (Phase::Computing, work);
                if self.protocol.processor.is_some() {
                    self.compute_on_processor(rank, Claim::Burst);
                    return false;
                }
                let computation = self.computation(rank, self.seconds_of(rank, work), work);
                self.kernel.start_compute(computation, token::rank(rank));
                false
            }
            Err(position) => {
                self.misuse(
                    rank,
                    format!(
                        "the recorded costs end after {position} calls of this rank: they are of another run"
                    ),
                );
                false
            }
        }
    }

    /// Is the next call the end of a sampled block?
    fn next_ends_sample(&self, rank: u32) -> bool {
        let state = &self.ranks[rank as usize];
        matches!(decode_call(&state.inbox[state.cursor..]), Ok((_, Call::SampleEnd, _)))
    }

    /// The burst before a call is over.
    pub(crate) fn after_burst(&mut self, rank: u32) {
        if self.pass_delay(rank) {
            self.after_delay(rank);
        }
    }

    /// The delay before a call is over.
    pub(crate) fn after_delay(&mut self, rank: u32) {
        if self.perform_next(rank) {
            self.tasks.push_back(Task::NextCall(rank));
        }
    }

    /// Lets the delay before a call pass. True if there is none.
    fn pass_delay(&mut self, rank: u32) -> bool {
        let state = &mut self.ranks[rank as usize];
        let delay = state.stamp.delay;
        if !delay.is_zero() {
            state.phase = Phase::Delayed;
            self.kernel.start_timer(delay, token::rank(rank));
        }
        delay.is_zero()
    }

    pub(crate) fn out_of_calls(&mut self, rank: u32) {
        if self.ranks[rank as usize].leaving && self.graph_is_busy(rank) {
            return;
        }
        let state = &mut self.ranks[rank as usize];
        if state.leaving {
            state.phase = Phase::Gone;
            self.abandon_sample(rank);
            self.show_output(rank);
            let state = &mut self.ranks[rank as usize];
            if !state.finalized {
                state.end = self.kernel.now();
            }
            self.alive -= 1;
            self.record_end(rank);
        } else {
            self.misuse(rank, "its last call needs no answer, but it waits for one".to_owned());
        }
    }

    /// Carries out the call at the cursor. True if the next one can follow at once.
    fn perform_next(&mut self, rank: u32) -> bool {
        self.ranks[rank as usize].entered = self.kernel.now();
        if self.protocol.startup.is_some() && self.pay_startup(rank) {
            return false;
        }
        if self.protocol.processor.is_some() && self.call_waits(rank) {
            return false;
        }
        self.perform_now(rank)
    }

    /// The beginning of a call is paid for, or its processor is free.
    pub(crate) fn after_startup(&mut self, rank: u32) {
        if self.perform_now(rank) {
            self.tasks.push_back(Task::NextCall(rank));
        }
    }

    /// Carries out the call at the cursor, whose beginning is paid for. True if the next one can follow at once.
    fn perform_now(&mut self, rank: u32) -> bool {
        let state = &mut self.ranks[rank as usize];
        let inbox = std::mem::take(&mut state.inbox);
        // By reference: a call is large, and moving it costs more than reading it.
        let goes_on = match &decode_call(&inbox[state.cursor..]) {
            Ok((_, call, words)) => {
                state.current = state.cursor;
                state.cursor += words;
                self.carry_out(rank, call)
            }
            Err(error) => {
                self.misuse(rank, error.to_string());
                false
            }
        };
        self.ranks[rank as usize].inbox = inbox;
        goes_on
    }

    fn carry_out(&mut self, rank: u32, call: &Call<'_>) -> bool {
        let needs_answer = call.needs_answer();
        let state = &mut self.ranks[rank as usize];
        state.in_function = is_function(call);
        if needs_answer {
            state.reply.clear();
            self.show_output(rank);
        }
        let progress = self.perform(rank, call);
        let goes_on = self.settle(rank, progress, needs_answer);
        if self.detailed && std::mem::take(&mut self.unrecorded) {
            self.record_details(rank, call);
        }
        goes_on
    }

    pub(crate) fn settle(&mut self, rank: u32, progress: Progress, needs_answer: bool) -> bool {
        let then = if needs_answer { Then::Reply } else { Then::NextCall };
        match (progress, then) {
            (Progress::Blocked, _) => return false,
            (Progress::Pay(cost), then) if !cost.is_zero() => {
                self.pay(rank, cost, then);
                return false;
            }
            (_, Then::Reply) => self.make_ready(rank),
            (_, _) => self.record_call(rank),
        }
        then == Then::NextCall
    }

    pub(crate) fn pay(&mut self, rank: u32, cost: Duration, then: Then) {
        self.ranks[rank as usize].phase = Phase::Paying(then);
        self.kernel.start_timer(cost, token::rank(rank));
        if then == Then::Reply {
            self.release(rank);
        }
    }

    fn perform(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        if !matches!(
            call,
            Call::Wait { poll: true, .. } | Call::Probe { poll: true, .. } | Call::Now | Call::Output
        ) {
            self.poll_over(rank);
        }
        if self.refuse_inside_sample(rank, call) || self.distrusts && self.refuse_nonsense(rank, call) {
            return Progress::Blocked;
        }
        match *call {
            Call::Init => self.init(rank),
            Call::Finalize => self.finalize(rank),
            Call::Abort { code } => self.conclude(Ending::Aborted { rank, code }),
            Call::Misuse { text } => self.conclude(Ending::Misuse { rank, text: text.to_owned() }),
            // The clock is read first and paid for afterwards, by the delay of the rank's next call.
            Call::Now | Call::When => Progress::Done,
            Call::Sleep { span } => self.sleep(rank, span),
            Call::Flush => Progress::Done,
            Call::Output => self.done(|engine| engine.show_output(rank)),
            Call::Send { .. } => self.perform_send(rank, call),
            Call::Recv { .. } => self.perform_recv(rank, call),
            Call::Wait { how, poll, requests } => {
                if poll && let Some(progress) = self.begin_test(rank, how, requests) {
                    return progress;
                }
                let complete = self.start_wait(rank, how, requests);
                self.wait_or_poll(rank, complete, poll)
            }
            Call::Probe { context, from, tag, poll, take } => {
                self.perform_probe(rank, Probing { key: key_of(context, from, tag), take }, poll)
            }
            Call::Cancel { request } => self.done(|engine| engine.cancel_request(rank, request)),
            Call::Free { request } => self.done(|engine| engine.free_request(rank, request)),
            Call::FreeComm { context } => self.done(|engine| engine.comms.free(context)),
            Call::Collective(ref collective) => {
                self.enter_collective(rank, collective);
                if collective.request.is_some() { Progress::Done } else { Progress::Blocked }
            }
            Call::MakeComm { parent, how } => {
                self.enter_comm_creation(rank, parent, how);
                let later = matches!(how, CommRequest::DupLater { .. });
                if later { Progress::Done } else { Progress::Blocked }
            }
            Call::SampleBegin { site, global, rule } => self.begin_sample(rank, site, global, rule),
            // Its value was taken when its burst began.
            Call::SampleEnd => Progress::Done,
            Call::Compute { work, request } => self.compute(rank, work, request),
            Call::TakeCompleted => self.perform_harvest(rank),
            Call::ExecutionUnit { cpu, nic, after, tell } => self.choose_lane(Lane { cpu, nic, tell, after }),
            Call::Share { site } => self.share(rank, site),
            Call::Tally(tally) => self.count(tally),
        }
    }

    /// What the rank has written is due: before the call that follows it.
    pub(crate) fn show_output(&mut self, rank: u32) {
        if std::mem::take(&mut self.ranks[rank as usize].wrote) {
            self.ready.push_back(Turn::Output(rank));
        }
    }

    fn done(&mut self, action: impl FnOnce(&mut Self)) -> Progress {
        action(self);
        Progress::Done
    }

    fn conclude(&mut self, ending: Ending) -> Progress {
        self.verdict.get_or_insert(ending);
        Progress::Blocked
    }

    fn init(&mut self, rank: u32) -> Progress {
        self.ranks[rank as usize].initialized = true;
        Progress::Done
    }

    fn sleep(&mut self, rank: u32, span: Duration) -> Progress {
        self.pass_ideal(rank, span);
        Progress::Pay(span)
    }

    fn finalize(&mut self, rank: u32) -> Progress {
        let state = &mut self.ranks[rank as usize];
        state.finalized = true;
        state.end = self.kernel.now();
        Progress::Done
    }

    fn perform_send(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        let Call::Send { mode, context, to, tag, bytes, payload, request, answer } = *call else {
            unreachable!()
        };
        let Some((me, world)) = self.comms.address(context, rank, to) else {
            return self.conclude(Ending::Misuse {
                rank,
                text: format!("rank {to} does not exist in this communicator"),
            });
        };
        let key = key_of(context, Some(me), Some(tag));
        let origin = Origin::of(&self.ranks[rank as usize].stamp);
        let outgoing = |owner| Outgoing { from: rank, to: world, key, bytes, payload, mode, owner, origin };
        if request.is_none() && !self.protocol.way(mode, bytes).sender_waits() {
            self.send(outgoing(Owner::Nobody));
            return self.finish_blocking_send(rank, bytes, answer);
        }
        let id = request.unwrap_or(BLOCKING);
        self.open_request(rank, id, Operation::Send { context, to, tag });
        self.send(outgoing(Owner::Request { rank, id }));
        if request.is_some() {
            if self.graphs.is_some() {
                return Progress::Done;
            }
            return Progress::Pay(self.protocol.isend_overhead.of(bytes));
        }
        // A rendezvous: nobody has taken the bytes yet.
        if self.wait_for_blocking(rank) {
            self.gather_completions(rank);
            return Progress::Pay(self.protocol.send_overhead.of(bytes));
        }
        self.block_waiting(rank)
    }

    /// A blocking send that was complete at once.
    fn finish_blocking_send(&mut self, rank: u32, bytes: u64, answer: bool) -> Progress {
        if answer {
            self.ranks[rank as usize].reply.completions.push(Completion::empty(0));
        }
        Progress::Pay(self.protocol.send_overhead.of(bytes) + self.protocol.copy_out(bytes))
    }

    fn block_waiting(&mut self, rank: u32) -> Progress {
        self.ranks[rank as usize].phase = Phase::Waiting;
        self.foresee_end_of_wait(rank);
        Progress::Blocked
    }

    fn perform_recv(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        let Call::Recv { context, from, tag, bytes, address, request, matched } = *call else {
            unreachable!()
        };
        let id = request.unwrap_or(BLOCKING);
        let key = key_of(context, from, tag);
        self.open_request(rank, id, Operation::Recv { context, from: key.source, tag: key.tag });
        let owner = Owner::Request { rank, id };
        let receive = Receive { key, rank, room: bytes, address, owner };
        if self.graphs.is_some() {
            self.hand_over_receive(receive, id);
            return Progress::Done;
        }
        let receive = match matched {
            Some(message) => self.receive_taken(receive, message),
            None => self.receive(receive),
        };
        let slot = &mut self.ranks[rank as usize].requests[id.index()];
        if slot.done.is_none() {
            slot.behind = receive;
        }
        let meanwhile = self.receive_startup(rank, context, from);
        if request.is_some() {
            return Progress::Pay(meanwhile);
        }
        if !meanwhile.is_zero() {
            self.pay(rank, meanwhile, Then::Await);
            return Progress::Blocked;
        }
        let complete = self.wait_for_blocking(rank);
        self.wait_or_poll(rank, complete, false)
    }

    /// A blocking receive has been paid for.
    pub(crate) fn await_blocking(&mut self, rank: u32) {
        let complete = self.wait_for_blocking(rank);
        let progress = self.wait_or_poll(rank, complete, false);
        self.settle(rank, progress, true);
    }

    fn wait_or_poll(&mut self, rank: u32, complete: bool, poll: bool) -> Progress {
        if complete {
            self.poll_over(rank);
            let cost = self.gather_completions(rank);
            Progress::Pay(if poll { cost } else { cost.max(self.busy_yet(rank)) })
        } else if poll {
            self.stop_waiting(rank);
            Progress::Pay(self.poll_failed(rank))
        } else {
            self.block_waiting(rank)
        }
    }

    pub(crate) fn finish_wait(&mut self, rank: u32) {
        let cost = self.gather_completions(rank);
        self.reply_after(rank, cost.max(self.busy_after_wait(rank)));
    }

    fn perform_harvest(&mut self, rank: u32) -> Progress {
        if self.start_harvest(rank) {
            return Progress::Pay(self.gather_harvest(rank));
        }
        self.ranks[rank as usize].phase = Phase::Harvesting;
        Progress::Blocked
    }

    pub(crate) fn finish_take_completed(&mut self, rank: u32) {
        let cost = self.gather_harvest(rank);
        self.reply_after(rank, cost);
        if let Some(end) = self.end_of_told(rank) {
            self.ranks[rank as usize].reply.now = end;
        }
    }

    fn perform_probe(&mut self, rank: u32, probing: Probing, poll: bool) -> Progress {
        if poll && let Some(progress) = self.begin_probe(rank) {
            return progress;
        }
        if self.probe(rank, &probing) {
            self.poll_over(rank);
            return Progress::Done;
        }
        if poll {
            return Progress::Pay(self.poll_failed(rank));
        }
        self.ranks[rank as usize].phase = Phase::Probing(probing);
        Progress::Blocked
    }

    pub(crate) fn finish_probe(&mut self, rank: u32, probing: &Probing) {
        if self.probe(rank, probing) {
            self.make_ready(rank);
        } else {
            self.ranks[rank as usize].phase = Phase::Probing(*probing);
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
            | Call::Share { .. }
            | Call::Tally(_)
    )
}
