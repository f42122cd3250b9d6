//! Calls carried out, one after the other, each at its time.
//!
//! ```text
//! burst passes ─► delay passes ─► the call is carried out ─► done: the next call at once, or the reply
//!                                                        ├─► to be paid for: that, after a while
//!                                                        └─► blocked: something else wakes the line
//! ```
//!
//! A line carries out all its calls of one instant in one go, as a program would.

use mpirage_call::{Burst, Call, CommCall, ComputeCall, Family, LineId, RunCall, ToolCall, Work};
use mpirage_record::Record;
use mpirage_units::Time;

use super::calls::Calls;
use super::fast_path::FastPath;
use super::figures::observe;
use super::files::FileCalls;
use super::migrate::perform_migrate;
use super::progress::look;
use super::task::{Progress, Task};
use crate::due::Due;
use crate::memory::Memory;
use crate::occupancy::ExecutionUnit;
use crate::origin::Origin;
use crate::ranks::line::{Claim, Phase, Then};
use crate::turn::Ending;

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
        let now = self.core.now();
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
        state.turn_to(stamp);
        state.entered = self.work.real_time.take_start(line).unwrap_or(now);
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
        let (rank, delay) = (self.core.ranks.rank_of(line), self.core.ranks.line(line).stamp.delay);
        self.core.ranks.pass_ideal(line, delay);
        let end = self.core.now();
        let start = Time::from_picos(end.as_picos() - delay.as_picos());
        self.core.observers.record_of(line, rank, &Record::Pause { rank: rank.get(), start, end });
        self.after_delay(line);
    }

    fn after_delay(&mut self, line: LineId) {
        if self.perform_next(line) {
            self.core.push_task(Task::NextCall(line));
        }
    }

    /// Lets the delay before a call pass. True if there is none.
    fn pass_delay(&mut self, line: LineId) -> bool {
        let state = self.core.ranks.line_mut(line);
        let delay = state.stamp.delay;
        if !delay.is_zero() {
            state.phase = Phase::Delayed;
            self.core.wire.start_timer(delay, Due::Line(line));
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
        self.core.ranks.note_end(rank, self.core.now());
        self.core.jobs.line_ended(rank);
        self.core.record_end(line);
    }

    /// Carries out the next call. True if the one after it can follow at once.
    fn perform_next(&mut self, line: LineId) -> bool {
        self.core.ranks.line_mut(line).entered = self.core.now();
        if self.core.protocol().has_beginnings() && self.core.pay_startup(line) {
            return false;
        }
        if !self.core.occupancy.is_none() && self.processing().call_waits(line) {
            return false;
        }
        self.perform_now(line)
    }

    /// The beginning of a call is paid for, or its processor is free.
    pub(super) fn after_startup(&mut self, line: LineId) {
        let goes_on = match self.try_paid_send(line) {
            FastPath::NotTaken => self.perform_now(line),
            taken => taken == FastPath::Done,
        };
        if goes_on {
            self.core.push_task(Task::NextCall(line));
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
            if matches!(call, Call::Wait { poll: true, .. } | Call::Probe { poll: true, .. }) {
                look(&mut self.core, line);
            }
            self.core.make_progress(line);
            self.one_sided().make_progress(line);
        }
        let progress = self.perform(line, call);
        let goes_on = self.settle(line, progress, needs_answer);
        if self.core.observers.wants_arguments() && self.core.take_unrecorded() {
            self.core.record_details(line, call);
        }
        goes_on
    }

    /// A call went like this. True if the next call can follow at once.
    pub(super) fn settle(&mut self, line: LineId, progress: Progress, needs_answer: bool) -> bool {
        let then = if needs_answer { Then::Reply } else { Then::NextCall };
        match (progress, then) {
            (Progress::Blocked, _) => {
                look(&mut self.core, line);
                return false;
            }
            (Progress::Pay(cost), then) if !cost.is_zero() => {
                self.core.pay(line, cost, then);
                return false;
            }
            (_, Then::Reply) => self.core.make_ready(line),
            (_, _) => self.core.record_call(line),
        }
        then == Then::NextCall
    }

    #[inline(always)]
    fn perform(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        if !matches!(
            call,
            Call::Wait { poll: true, .. }
                | Call::Probe { poll: true, .. }
                | Call::Now
                | Call::Output
                | Call::ReadFigure { .. }
                | Call::LoadStore { .. }
        ) {
            self.core.ranks.poll_over(line);
        }
        if self.refuse_inside_sample(line, call) || self.checked && self.refuse_nonsense(line, call) {
            return Progress::Blocked;
        }
        match call {
            // The commonest calls are read where they are: to copy one costs more.
            Call::Send { .. } => self.perform_send(line, call),
            Call::Recv { .. } => self.perform_recv(line, call),
            _ => self.perform_by_family(line, call),
        }
    }

    /// Families have functions that are not inlined: their locals would make each send save more registers.
    #[inline(always)]
    fn perform_by_family(&mut self, line: LineId, call: &Call<'_>) -> Progress {
        match call.family() {
            Family::Run(run) => self.perform_run(line, run),
            Family::PointToPoint(message) => self.perform_point_to_point(line, message),
            Family::Comm(comm) => self.perform_comm(line, comm),
            Family::Window(window) => self.one_sided().perform(line, window),
            Family::File(file) => FileCalls { core: &mut self.core }.perform(line, file),
            Family::Compute(compute) => self.perform_compute(line, compute),
            Family::Tool(tool) => self.perform_tool(line, tool),
            // The recorder that checks the run gets them.
            Family::Check(_) => Progress::Done,
        }
    }

    #[inline(never)]
    fn perform_run(&mut self, line: LineId, call: RunCall<'_>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        match call {
            RunCall::Init => {
                let first = self.core.ranks.initialize(rank);
                let late = self.core.protocol().noise.late_start(rank);
                if first && !late.is_zero() {
                    return Progress::Pay(late);
                }
            }
            RunCall::Finalize => self.core.ranks.finalize(rank, self.core.now()),
            RunCall::Abort { code } => {
                self.core.end_job(rank, Ending::Aborted { rank: rank.get(), code });
                return Progress::Blocked;
            }
            RunCall::Misuse { text } => {
                self.core.misuse(rank, text.to_owned());
                return Progress::Blocked;
            }
            RunCall::Session { number, opened: true } => {
                let origin = Origin::of(&self.core.ranks.line(line).stamp);
                self.core.ranks.sessions.open(rank, number, origin);
            }
            RunCall::Session { number, opened: false } => self.core.ranks.sessions.close(rank, number),
            RunCall::Publish { service, port } => {
                self.names.publish(service, port, &mut self.core.ranks.line_mut(line).reply);
            }
            RunCall::LookUp { service } => {
                self.names.look_up(service, &mut self.core.ranks.line_mut(line).reply)
            }
            RunCall::Spawn { ranks, port, order } => {
                self.spawning.start(&mut self.core, line, ranks, port, order);
            }
        }
        Progress::Done
    }

    #[inline(never)]
    fn perform_comm(&mut self, line: LineId, call: CommCall<'_>) -> Progress {
        match call {
            CommCall::Collective(collective) => {
                self.core.enter_collective(line, collective);
                if collective.request.is_some() { Progress::Done } else { Progress::Blocked }
            }
            CommCall::MakeComm { parent, how } => {
                self.core.enter_creation(line, parent, how);
                if how.request().is_some() { Progress::Done } else { Progress::Blocked }
            }
            CommCall::FreeComm { context } => {
                let rank = self.core.ranks.rank_of(line);
                self.core.windows.exposures.forget(context, rank);
                self.core.collectives.free_comm(context);
                FileCalls { core: &mut self.core }.close(context, rank);
                Progress::Done
            }
        }
    }

    #[inline(never)]
    fn perform_compute(&mut self, line: LineId, call: ComputeCall<'_>) -> Progress {
        match call {
            // The clock is read first and paid for afterwards, by the delay of the rank's next call. The value of a sample
            // was taken when its burst began.
            ComputeCall::Now | ComputeCall::When | ComputeCall::SampleEnd => Progress::Done,
            ComputeCall::Sleep { span } => {
                let rank = self.core.ranks.rank_of(line);
                self.core.ranks.pass_ideal(line, span);
                let wakes = self.core.now() + span;
                Progress::Pay(span + self.core.protocol().wake_up.lateness(rank, wakes))
            }
            ComputeCall::SampleBegin { site, global, rule } => self.begin_sample(line, site, global, rule),
            ComputeCall::Compute { work, request } => self.processing().compute(line, work, request),
            ComputeCall::TakeCompleted => self.perform_take_completed(line),
            ComputeCall::ExecutionUnit { cpu, nic, after, tell } => {
                if let Some(graphs) = self.core.occupancy.graphs() {
                    graphs.choose_unit(ExecutionUnit { cpu, nic, tell, after });
                }
                Progress::Done
            }
            ComputeCall::Migrate { state_bytes } => perform_migrate(&mut self.core, line, state_bytes),
        }
    }

    #[inline(never)]
    fn perform_tool(&mut self, line: LineId, call: ToolCall<'_>) -> Progress {
        let rank = self.core.ranks.rank_of(line);
        match call {
            ToolCall::Output => self.core.show_output(rank),
            ToolCall::Flush => self.core.observers.handed_over(line, rank),
            ToolCall::CallPath { site, frames } => self.core.observers.call_path(rank, site, frames),
            ToolCall::Samples { site, count } => self.core.observers.samples(rank, site, count),
            // It is recorded, with its level.
            ToolCall::Control { .. } => {}
            ToolCall::ReadFigure { figure } => observe(&mut self.core, line, figure),
            ToolCall::Tally(tally) => self.samples.count(*tally),
            ToolCall::Share { site } => self.share(line, site),
        }
        Progress::Done
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
            | Call::LocateAccess { .. }
            | Call::PosixIo { .. }
            | Call::CallPath { .. }
            | Call::Samples { .. }
            | Call::Session { .. }
            | Call::ReadFigure { .. }
            | Call::Tally(_)
    )
}
