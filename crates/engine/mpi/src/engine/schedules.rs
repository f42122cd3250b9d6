//! Collectives: ranks enter, follow their schedules step by step, and leave.

use mpirage_call::{
    BLOCKING, CollectiveCall, CommRequest, Completion, ContextId, LineId, Payload, RequestId, SendMode,
};
use mpirage_collectives::Step;
use mpirage_record::Record;
use mpirage_units::{Duration, Time};

use super::core::{Core, rank_is_away};
use super::migrate::leave_blocking;
use super::task::Task;
use crate::collective::agreement::calls_function;
use crate::collective::run::Stop;
use crate::collective::{Caller, Entered, Left, NextStep, scheduled_kind};
use crate::due::Due;
use crate::ids::{InstanceId, RunId};
use crate::memory::Memory;
use crate::occupancy::Job;
use crate::origin::Origin;
use crate::protocol::LibraryProgress;
use crate::ranks::Ranks;
use crate::ranks::line::Phase;
use crate::ranks::request::Operation;
use crate::transport::message::{Awaited, Outgoing, Owner, Taker};

/// Sends and receives under way from which on a schedule's next steps are prefetched.
const MANY: u32 = 32;
/// How many steps ahead that is done.
const AHEAD: u32 = 3;

/// A message that a schedule sends.
struct Sent {
    to: u32,
    slot: u16,
    bytes: u64,
    mode: SendMode,
}

impl<M: Memory> Core<M> {
    /// A line enters a collective.
    pub(crate) fn enter_collective(&mut self, line: LineId, call: &CollectiveCall<'_>) {
        let caller = caller(&self.ranks, line);
        let entered = match self.collectives.enter(&mut self.data, caller, call) {
            Ok(entered) => entered,
            Err(text) => return self.misuse(caller.rank, text),
        };
        let request = call.request.unwrap_or(BLOCKING);
        self.wait_in_collective(line, entered.instance, request);
        if request != BLOCKING && calls_function(call.reduction) {
            self.ranks.begin_callbacks(caller.rank);
        }
        self.start_schedule(entered, caller, call);
        self.settle_if_complete(entered.instance);
    }

    /// A line takes part in making a communicator.
    pub(crate) fn enter_creation(&mut self, line: LineId, parent: ContextId, how: CommRequest<'_>) {
        let caller = caller(&self.ranks, line);
        let host = self.host(caller.rank).0;
        let entered = match self.collectives.enter_creation(caller, host, parent, how) {
            Ok(entered) => entered,
            Err(text) => return self.misuse(caller.rank, text),
        };
        if let CommRequest::DupLater { request } = how {
            self.wait_in_collective(line, entered.instance, request);
            let (collectives, mut env) = self.collectives();
            collectives.hand_out_early(&mut env, entered);
        } else {
            self.wait_in_collective(line, entered.instance, BLOCKING);
        }
        self.start_schedule(entered, caller, &CollectiveCall::agreement(parent));
        self.settle_if_complete(entered.instance);
    }

    /// The duration of a collective by formula is over.
    pub(crate) fn all_leave(&mut self, instance: InstanceId) {
        let size = self.collectives.instance(instance).map_or(0, |instance| instance.size());
        for member in 0..size as u32 {
            if let Some(clocks) = self.observers.ideal() {
                let at = clocks.last_entry(instance);
                self.leave_ideal(Entered { instance, member }, at);
            }
            self.leave(Entered { instance, member });
        }
    }

    /// Goes on with a schedule until it must wait, pays for something, or ends.
    pub(crate) fn continue_run(&mut self, id: RunId) {
        let never_waits = !self.protocol().has_beginnings() && self.occupancy.is_none();
        loop {
            let step = match self.collectives.look_at_step(id) {
                NextStep::Waits => return self.collectives.begin_receiving(id, self.now()),
                NextStep::AfterStop => {
                    let owed = self.pass_stop(id);
                    if !owed.is_zero() {
                        return self.wire.start_timer(owed, Due::Run(id));
                    }
                    continue;
                }
                NextStep::Over => return self.try_end_run(id),
                NextStep::Step { step, under_way } => {
                    if under_way > MANY {
                        fetch_steps(self, id);
                    }
                    step
                }
            };
            if !never_waits && self.step_must_wait(id, step) {
                return;
            }
            self.collectives.run_mut(id).take_step();
            let cost = self.take_step(id, step);
            self.take_events();
            if !cost.is_zero() {
                return self.wire.start_timer(cost, Due::Run(id));
            }
        }
    }

    /// A schedule could go on, but waits for the next call of its rank.
    pub(crate) fn is_held_up(&mut self, id: RunId) -> bool {
        let held_up = rank_is_away(self, id);
        if held_up {
            self.collectives.hold_up(id);
        }
        held_up
    }

    /// A line makes a call: the schedules of its rank that wait for one go on.
    pub(crate) fn make_progress(&mut self, line: LineId) {
        if self.protocol().progress == LibraryProgress::InCalls {
            for id in self.collectives.take_held_up(self.ranks.rank_of(line)) {
                self.continue_run(id);
            }
        }
    }

    /// The stop before the next step is over; gives what has to be paid then.
    fn pass_stop(&mut self, id: RunId) -> Duration {
        let run = self.collectives.run_mut(id);
        if let Some(clocks) = self.observers.ideal() {
            match run.stop() {
                Stop::WaitAll => clocks.pass_all(id),
                Stop::Wait { set, .. } => clocks.pass_set(id, set),
                _ => clocks.pass_blocking(id),
            }
        }
        self.collectives.pass_stop(id, self.now())
    }

    /// Does the beginning of a step take time, or does it wait for its processor?
    #[inline(never)]
    fn step_must_wait(&mut self, id: RunId, step: Step) -> bool {
        if self.protocol().has_beginnings() && self.collectives.run(id).has_not_begun() {
            let cost = self.protocol().overhead_of_step(step) + self.startup_of_step(id, step);
            if !cost.is_zero() {
                self.collectives.run_mut(id).begin_step();
                self.wire.start_timer(cost, Due::Run(id));
                return true;
            }
        }
        // A step that waits is resumed when the processor is its own.
        !self.occupancy.is_none()
            && self.collectives.run_mut(id).begin_step()
            && self.step_needs_processor(id, step)
    }

    /// A step needs the processor. True if it must wait for it.
    fn step_needs_processor(&mut self, id: RunId, step: Step) -> bool {
        let rank = self.collectives.run(id).rank;
        match (step, self.occupancy.processors()) {
            (
                Step::Send { bytes, .. }
                | Step::Ssend { bytes, .. }
                | Step::Isend { bytes, .. }
                | Step::Issend { bytes, .. },
                Some(processors),
            ) => !processors.claim_send(&mut self.wire, rank, Job::Run(id), bytes),
            (Step::Recv { .. } | Step::Irecv { .. }, Some(_)) => {
                let busy = self.occupancy.busy_after_wait(rank, self.now());
                if !busy.is_zero() {
                    self.wire.start_timer(busy, Due::Run(id));
                }
                !busy.is_zero()
            }
            _ => false,
        }
    }

    /// Carries out a step; gives what it costs the rank.
    #[inline(always)]
    fn take_step(&mut self, id: RunId, step: Step) -> Duration {
        match step {
            Step::Isend { to, bytes, slot, .. }
            | Step::Issend { to, bytes, slot, .. }
            | Step::Send { to, bytes, slot }
            | Step::Ssend { to, bytes, slot } => {
                let (stop, awaited) = match step {
                    Step::Isend { set, .. } | Step::Issend { set, .. } => (Stop::None, Awaited::InSet(set)),
                    _ => (Stop::Send, Awaited::Blocking),
                };
                self.send_step(id, Sent { to, slot, bytes, mode: mode_of(step) }, stop, awaited)
            }
            Step::Irecv { from, bytes, slot, .. } | Step::Recv { from, bytes, slot } => {
                let (stop, awaited) = match step {
                    Step::Irecv { set, .. } => (Stop::None, Awaited::InSet(set)),
                    _ => (Stop::Recv, Awaited::Blocking),
                };
                self.recv_step(id, (from, slot), bytes, stop, awaited)
            }
            Step::Reduce { bytes } => self.work_step(id, self.protocol().reduction(bytes)),
            // The message brings the bytes no faster than the device combines them.
            Step::Combine { .. } => Duration::ZERO,
            Step::Delay { span } => self.work_step(id, span),
            Step::Copy { bytes, blocks } => self.work_step(id, self.protocol().copy(bytes, blocks)),
            Step::WaitAll => {
                self.collectives.run_mut(id).wait(Stop::WaitAll);
                Duration::ZERO
            }
            Step::Wait { set, left } => {
                self.collectives.run_mut(id).wait(Stop::Wait { set, left });
                Duration::ZERO
            }
        }
    }

    fn work_step(&mut self, id: RunId, cost: Duration) -> Duration {
        if let Some(clocks) = self.observers.ideal() {
            clocks.work(id, cost);
        }
        cost
    }

    /// A schedule sends; gives what that costs the rank.
    #[inline(always)]
    fn send_step(&mut self, id: RunId, sent: Sent, stop: Stop, awaited: Awaited) -> Duration {
        let Sent { to, slot, bytes, mode } = sent;
        let run = self.collectives.run_mut(id);
        run.begin(stop, awaited);
        let (from, key, blocking) = (run.rank, run.sends(slot), stop != Stop::None);
        let ideal = match self.observers.ideal() {
            Some(clocks) => {
                if blocking {
                    clocks.send_step(id);
                }
                clocks.now(id)
            }
            None => Time::ZERO,
        };
        let (to, owner) = (self.collectives.peer(id, to), Owner::Step { run: id, awaited });
        let (payload, origin) = (Payload::Absent, Origin::UNKNOWN);
        let working_set = self.collectives.working_set(id);
        let outgoing = Outgoing { from, to, key, bytes, payload, mode, working_set, owner, origin, ideal };
        if self.post_send(outgoing).1 {
            self.step_complete(id, awaited, Time::ZERO);
        }
        self.protocol().overhead_meanwhile(bytes, blocking)
    }

    /// A step of a schedule is complete; by ideal clocks not before `ideal`.
    #[inline(always)]
    pub(crate) fn step_complete(&mut self, id: RunId, awaited: Awaited, ideal: Time) {
        if let Some(clocks) = self.observers.ideal() {
            clocks.end_step(id, awaited, ideal);
        }
        if self.collectives.run_mut(id).step_done(awaited) && !self.is_held_up(id) {
            self.push_task(Task::Run(id));
        }
    }

    /// A schedule posts a receive; gives what that costs the rank.
    #[inline(always)]
    fn recv_step(
        &mut self,
        id: RunId,
        (from, slot): (u32, u16),
        bytes: u64,
        stop: Stop,
        awaited: Awaited,
    ) -> Duration {
        let run = self.collectives.run_mut(id);
        run.begin(stop, awaited);
        let (rank, key) = (run.rank, run.receives(from, slot));
        if self.observers.has_ideal()
            && self.protocol().transfer_mode(SendMode::Standard, bytes).waits_for_receiver()
            && let Some(clocks) = self.observers.ideal()
        {
            clocks.post_step(id, from, slot);
        }
        // Whatever size arrives is the algorithm's business, so any fits.
        let taker = Taker::Step { run: id, awaited };
        let (transport, mut env) = self.transport();
        transport.post(&mut env, rank, key, taker);
        self.startup_of_receive_step(id, from)
    }

    /// After the last step, the run waits for what is still under way; then the rank leaves.
    fn try_end_run(&mut self, id: RunId) {
        if !self.collectives.run_mut(id).is_complete() {
            return self.collectives.begin_receiving(id, self.now());
        }
        let ideal = self.observers.ideal().map(|clocks| clocks.end_run(id));
        let entered = self.collectives.end_run(id);
        if let Some(at) = ideal {
            self.leave_ideal(entered, at);
        }
        self.leave(entered);
    }

    /// A rank's part in a collective is over: it gets its results and goes on.
    fn leave(&mut self, entered: Entered) {
        let (collectives, mut env) = self.collectives();
        let Left { rank, line, request, called_back, error } = collectives.leave(&mut env, entered);
        if called_back {
            self.ranks.end_callbacks(rank);
        }
        if request == BLOCKING {
            self.ranks.line_mut(line).reply.completions.extend(error);
            leave_blocking(self, line);
        } else {
            let owner = self.ranks.owner(line, request);
            self.complete(owner, error.unwrap_or(Completion::empty(0)), Time::ZERO);
        }
    }

    fn leave_ideal(&mut self, entered: Entered, at: Time) {
        let Some(instance) = self.collectives.instance(entered.instance) else { return };
        let participant = &instance.participants[entered.member as usize];
        self.ranks.leave_ideal(participant.line, participant.request, at);
    }

    /// The line waits in its call, or opens a request.
    fn wait_in_collective(&mut self, line: LineId, instance: InstanceId, request: RequestId) {
        if request == BLOCKING {
            self.ranks.line_mut(line).phase = Phase::InCollective(instance);
        } else {
            self.ranks.open_request(line, request, Operation::Collective { instance });
        }
    }

    fn start_schedule(&mut self, entered: Entered, caller: Caller, call: &CollectiveCall<'_>) {
        let ideal = self.ranks.line(caller.line).ideal;
        // Formulas are for collectives of all ranks.
        if self.collectives.have_formula() && !call.kind.is_neighborhood() {
            return self.await_all(entered, caller, call, ideal);
        }
        let call = &CollectiveCall { kind: scheduled_kind(call), ..*call };
        let wire = &self.wire;
        let (plan, method) = self.collectives.choose_plan(entered, call, |rank| wire.host(rank));
        self.record_schedule(entered, caller, call, Some(method));
        let run = self.collectives.start_run(entered, plan);
        if let Some(clocks) = self.observers.ideal() {
            clocks.start_run(run, ideal);
        }
        self.push_task(Task::Run(run));
    }

    fn record_schedule(
        &mut self,
        entered: Entered,
        caller: Caller,
        call: &CollectiveCall<'_>,
        method: Option<mpirage_call::Method>,
    ) {
        if self.observers.wants_arguments()
            && let Some(instance) = self.collectives.instance(entered.instance)
        {
            let schedule = Record::Schedule {
                rank: caller.rank.get(),
                number: instance.number,
                context: call.context,
                kind: call.kind,
                method,
                entered: self.now(),
                call,
            };
            self.observers.record_of(caller.line, caller.rank, &schedule);
        }
    }

    /// A rank has entered a collective whose duration a formula gives. The last to enter sets it off.
    fn await_all(&mut self, entered: Entered, caller: Caller, call: &CollectiveCall<'_>, ideal: Time) {
        self.record_schedule(entered, caller, call, None);
        let id = entered.instance;
        let Some(instance) = self.collectives.instance(id) else { return };
        if let Some(clocks) = self.observers.ideal() {
            clocks.enter(id, ideal, instance.has_one_member());
        }
        if instance.is_complete() {
            let (collectives, wire) = (&mut self.collectives, &self.wire);
            let span = collectives.duration(entered, call, |rank| wire.host(rank));
            self.wire.start_timer(span, Due::Collective(id));
        }
    }
}

/// The mode of a step that sends.
fn mode_of(step: Step) -> SendMode {
    match step {
        Step::Ssend { .. } | Step::Issend { .. } => SendMode::Synchronous,
        _ => SendMode::Standard,
    }
}

/// A schedule with many sends and receives under way goes on: prefetches what later steps need.
#[inline]
fn fetch_steps<M: Memory>(core: &Core<M>, id: RunId) {
    let run = core.collectives.run(id);
    for (ahead, deep) in [(2 * AHEAD, false), (AHEAD, true)] {
        match core.collectives.step_ahead(id, ahead) {
            Some(Step::Isend { to, slot, .. }) => {
                core.transport.fetch_send(core.collectives.peer(id, to), &run.sends(slot), deep);
            }
            // Its own queue is near; the message that waits there is not.
            Some(Step::Irecv { from, slot, .. }) if deep => {
                core.transport.fetch_unexpected(run.rank, &run.receives(from, slot));
            }
            _ => {}
        }
    }
}

/// A line that enters a collective.
fn caller(ranks: &Ranks, line: LineId) -> Caller {
    let state = ranks.line(line);
    Caller { rank: state.rank, line, stamp: state.stamp }
}
