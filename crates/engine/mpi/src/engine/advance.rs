//! The loop of the engine: carries out what is due at an instant, then lets time pass to the next.

use mpirage_call::{LineId, RankId};
use mpirage_kernel::{Advance, Event};

use super::activity::{note_activity, note_due};
use super::files::FileCalls;
use super::task::{Next, Task};
use super::wiring::Engine;
use crate::due::Due;
use crate::memory::Memory;
use crate::ranks::line::{Phase, Then};
use crate::turn::{Ending, Turn};

impl<M: Memory> Engine<M> {
    /// Goes on until the driver has something to do.
    #[inline(always)]
    pub fn advance(&mut self) -> Turn {
        loop {
            if let Some(turn) = self.settle() {
                return turn;
            }
            match self.pass_time() {
                Advance::Moved => {}
                Advance::Idle => self.end_in_deadlock(),
                Advance::BeyondTime => self.end_beyond_time(),
            }
        }
    }

    /// Ends all jobs, because the activities under way never end: the clock cannot show the end, or the network cannot go on.
    #[cold]
    pub(super) fn end_beyond_time(&mut self) {
        let ending = self.calls.core.network_deadlock().unwrap_or(Ending::BeyondTime);
        let now = self.now();
        self.calls.core.jobs.end_all(&ending, now);
    }

    /// Goes on at this instant until the driver has something to do. None if nothing more happens at this instant.
    #[inline(always)]
    pub(super) fn settle(&mut self) -> Option<Turn> {
        loop {
            self.do_tasks();
            if self.calls.core.jobs.are_over() {
                return Some(Turn::End);
            }
            if let Some(next) = self.calls.core.turns.next() {
                match self.start_turn(next) {
                    None => continue,
                    turn => return turn,
                }
            }
            let busy = self.calls.serve_polls() || self.serve_processors();
            if !(busy || self.calls.core.jobs.some_are_idle() && self.calls.core.finish_jobs()) {
                return None;
            }
        }
    }

    /// A turn begins. None if the driver need not hear of it.
    #[inline(never)]
    fn start_turn(&mut self, next: Next) -> Option<Turn> {
        let line = match next {
            Next::Resume(line) => line,
            Next::Output(rank) => return Some(Turn::Output(rank)),
            Next::Release(line) => return Some(Turn::Release(line)),
            Next::AfterPoll(line) if self.goes_on_after_poll(line) => return None,
            Next::AfterPoll(line) => line,
        };
        let state = self.calls.core.ranks.line_mut(line);
        if self.calls.core.jobs.is_over(state.rank) {
            return None;
        }
        state.phase = Phase::Running;
        state.released = false;
        let rank = state.rank;
        self.resumed = Some(line);
        note_activity(&mut self.calls.core, rank);
        self.fetch_next();
        Some(Turn::Resume(line))
    }

    pub(super) fn pass_time(&mut self) -> Advance {
        let mut events = std::mem::take(&mut self.events);
        let passed = self.calls.core.wire.advance(&mut events);
        for at in 0..events.len() {
            self.fetch_ahead(&events[at..]);
            let Event { token, milestone } = events[at];
            if self.calls.core.jobs.are_several() {
                note_due(&mut self.calls.core, Due::of(token));
            }
            if let Some(message) = Due::message(token) {
                self.transfer_event(message, milestone);
                continue;
            }
            match Due::of(token) {
                Due::Line(line) => self.line_due(line),
                Due::Transfer(message) => self.transfer_event(message, milestone),
                Due::Run(run) => self.calls.core.push_task(Task::Run(run)),
                Due::Work(work) => self.background_done(work),
                Due::SendComplete(delayed) => {
                    self.calls.core.transport.delayed_complete(delayed);
                    self.calls.core.take_events();
                }
                Due::Collective(instance) => self.calls.core.all_leave(instance),
                Due::Decision => self.decide_migrations(),
                Due::Migration(_) => self.migration_done(),
                Due::Processor(rank) => self.calls.processing().processor_due(rank),
                Due::File(activity) => {
                    FileCalls { core: &mut self.calls.core }.file_event(activity, milestone);
                }
                Due::Window(activity) => self.calls.one_sided().window_event(activity, milestone),
            }
        }
        events.clear();
        self.events = events;
        passed
    }

    fn do_tasks(&mut self) {
        // Nothing goes on once the run has ended.
        while !self.calls.core.jobs.are_over()
            && let Some(task) = self.calls.core.next_task()
        {
            if self.calls.core.jobs.are_several() {
                let rank = self.rank_of(&task);
                if self.calls.core.jobs.is_over(rank) {
                    continue;
                }
                note_activity(&mut self.calls.core, rank);
            }
            match task {
                Task::NextCall(line) => self.calls.next_call(line),
                Task::FinishWait(line) => {
                    self.fetch_waits();
                    self.calls.finish_wait(line);
                }
                Task::FinishTakeCompleted(line) => self.calls.finish_take_completed(line),
                Task::FinishProbe(line, probe) => self.calls.finish_probe(line, probe),
                Task::Run(run) => self.calls.core.continue_run(run),
            }
        }
    }

    /// The rank for which something goes on.
    fn rank_of(&self, task: &Task) -> RankId {
        match *task {
            Task::NextCall(line)
            | Task::FinishWait(line)
            | Task::FinishTakeCompleted(line)
            | Task::FinishProbe(line, _) => self.calls.core.ranks.rank_of(line),
            Task::Run(run) => self.calls.core.collectives.run(run).rank,
        }
    }

    /// A line's timer or burst is over.
    fn line_due(&mut self, line: LineId) {
        let rank = self.calls.core.ranks.rank_of(line);
        if self.calls.core.jobs.is_over(rank) {
            return;
        }
        self.serve_older(rank);
        let state = self.calls.core.ranks.line_mut(line);
        match state.phase {
            Phase::Computing => {
                self.work_done(line);
                self.calls.after_burst(line);
            }
            Phase::Executing => {
                self.work_done(line);
                self.calls.core.push_task(Task::NextCall(line));
            }
            Phase::Ending => self.calls.out_of_calls(line),
            Phase::Unstarted => self.calls.core.make_ready(line),
            Phase::Delayed => self.calls.delay_done(line),
            Phase::Paying(Then::NextCall) => {
                self.calls.core.record_call(line);
                self.calls.core.push_task(Task::NextCall(line));
            }
            Phase::Paying(Then::Reply) => self.calls.core.make_ready(line),
            Phase::Paying(Then::Perform) => self.calls.after_startup(line),
            Phase::Paying(Then::Await) => self.calls.await_blocking(line),
            Phase::Paying(Then::Look) => self.calls.look_due(line),
            Phase::Paying(Then::AfterPoll) => self.calls.core.failed_poll_paid(line),
            phase => unreachable!("line {line} is {phase:?} and had no timer"),
        }
    }
}
