//! The parts of the engine, and what the events of one part mean to the others.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_call::wire::HeadKind;
use mpirage_call::{Call, Completion, LineId, RankId};
use mpirage_platform::HostId;
use mpirage_record::{Details, Record};
use mpirage_units::{Duration, Time};

use super::task::{Task, Turns};
use crate::collective::{self, Collectives};
use crate::data_plane::DataPlane;
use crate::due::Due;
use crate::files::Files;
use crate::ids::RunId;
use crate::memory::Memory;
use crate::migration::Migrations;
use crate::observe::Observers;
use crate::occupancy::Occupancy;
use crate::protocol::{LibraryProgress, Protocol};
use crate::ranks::job::Jobs;
use crate::ranks::line::{Line, Phase, Then};
use crate::ranks::{Ranks, Wakeup};
use crate::transport::message::Owner;
use crate::transport::{Env, Event, Transport};
use crate::turn::Ending;
use crate::windows::Windows;
use crate::wire::Wire;

/// The parts of the engine.
pub(crate) struct Core<M> {
    pub(super) wire: Wire,
    protocol: Arc<Protocol>,
    pub(super) data: DataPlane<M>,
    pub(super) observers: Observers,
    pub(super) occupancy: Occupancy,
    pub(super) ranks: Ranks,
    pub(super) jobs: Jobs,
    pub(super) transport: Transport,
    pub(super) collectives: Collectives,
    pub(super) windows: Windows,
    pub(super) files: Files,
    tasks: VecDeque<Task>,
    pub(super) turns: Turns,
    /// The call that is carried out right now is over; the function that has its words at hand records it.
    unrecorded: bool,
    /// Ranks that may move, if they may.
    pub(super) migrations: Option<Box<Migrations>>,
}

impl<M> Core<M> {
    /// The parts before the run starts.
    pub(super) fn new(
        protocol: Protocol,
        wire: Wire,
        data: DataPlane<M>,
        observers: Observers,
        jobs: Jobs,
        collectives: Collectives,
        files: Files,
    ) -> Core<M> {
        let (ranks, protocol) = (wire.hosts().len(), Arc::new(protocol));
        Core {
            occupancy: Occupancy::new(&protocol, wire.hosts()),
            ranks: Ranks::new(ranks, protocol.recv_overhead.clone()),
            transport: Transport::new(Arc::clone(&protocol), ranks),
            windows: Windows::new(),
            tasks: VecDeque::new(),
            turns: Turns::default(),
            unrecorded: false,
            migrations: None,
            protocol,
            wire,
            data,
            observers,
            jobs,
            collectives,
            files,
        }
    }

    /// The simulated time.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.wire.now()
    }

    #[inline]
    pub(crate) fn host(&self, rank: RankId) -> HostId {
        self.wire.host(rank)
    }

    #[inline]
    pub(crate) fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// Something can go on at this instant.
    #[inline]
    pub(crate) fn push_task(&mut self, task: Task) {
        self.tasks.push_back(task);
    }

    #[inline]
    pub(crate) fn next_task(&mut self) -> Option<Task> {
        self.tasks.pop_front()
    }

    /// The task that comes after `ahead` others.
    #[inline]
    pub(crate) fn task_ahead(&self, ahead: usize) -> Option<&Task> {
        self.tasks.get(ahead)
    }

    pub(crate) fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Is the call that is carried out right now over, and its record left to the function that has its words at hand?
    #[inline]
    pub(crate) fn take_unrecorded(&mut self) -> bool {
        std::mem::take(&mut self.unrecorded)
    }

    /// All ranks are graphs. False if there are no processors for which they compete.
    pub(crate) fn run_graphs(&mut self) -> bool {
        self.occupancy.run_graphs(&self.protocol, self.wire.hosts())
    }
}

impl<M: Memory> Core<M> {
    /// The transport, and the parts that it works with.
    #[inline(always)]
    pub(crate) fn transport(&mut self) -> (&mut Transport, Env<'_, M>) {
        let Core { transport, wire, data, observers, occupancy, .. } = self;
        (transport, Env { wire, data, observers, occupancy })
    }

    /// The collectives, and the parts that they work with.
    pub(crate) fn collectives(&mut self) -> (&mut Collectives, collective::Env<'_, M>) {
        let Core { collectives, data, observers, ranks, .. } = self;
        (collectives, collective::Env { data, observers, ranks })
    }

    /// Does what follows from the events of the transport. What follows may lead to further events, but not back here.
    #[inline(always)]
    pub(crate) fn take_events(&mut self) {
        if self.transport.event(0).is_some() {
            self.take_all_events();
        }
    }

    fn take_all_events(&mut self) {
        let mut nth = 0;
        while let Some(event) = self.transport.event(nth) {
            nth += 1;
            match *event {
                Event::Complete { owner: Owner::Step { run, awaited }, completion, ideal } => {
                    if completion.is_receive() && self.collectives.receives_cost() {
                        let at = (!rank_is_away(self, run)).then(|| self.now());
                        self.collectives.receive(run, awaited, at, completion.bytes);
                    }
                    self.step_complete(run, awaited, ideal);
                }
                Event::Complete { owner, completion, ideal } => self.complete(owner, completion, ideal),
                Event::Lends { rank, id } => self.ranks.lend(rank, id),
                Event::LoanOver { rank, id, message } => self.ranks.end_loan(rank, id, message),
                other => self.take_rare_event(other),
            }
        }
        self.transport.clear_events();
    }

    fn take_rare_event(&mut self, event: Event) {
        match event {
            Event::Complete { .. } | Event::Lends { .. } | Event::LoanOver { .. } => {
                unreachable!("taken before")
            }
            Event::Over { owner, message } => self.ranks.message_over(owner, message),
            Event::Probed { line, probe } => {
                self.ranks.line_mut(line).phase = Phase::Woken;
                self.tasks.push_back(Task::FinishProbe(line, probe));
            }
            Event::Matched { message, taker } => self.matched_early(message, taker),
            Event::Failed { from, to } => self.transfer_failed(from, to),
        }
    }

    /// The network has given a transfer up.
    pub(crate) fn transfer_failed(&mut self, from: RankId, to: RankId) {
        let reason = self.wire.kernel().network_failure();
        let unreachable = Ending::Unreachable { from: from.get(), to: to.get(), reason };
        self.end_job(from, self.network_deadlock().unwrap_or(unreachable));
    }

    /// The ending of a run whose network cannot go on.
    pub(crate) fn network_deadlock(&self) -> Option<Ending> {
        self.wire.kernel().network_circle().map(|links| Ending::NetworkDeadlock { links })
    }

    /// The operation behind a request is complete.
    #[inline(always)]
    pub(crate) fn complete(&mut self, owner: Owner, completion: Completion, ideal: Time) {
        let wakeup = self.ranks.complete(owner, completion, ideal, self.now());
        self.wake(wakeup);
    }

    #[inline(always)]
    pub(crate) fn wake(&mut self, wakeup: Wakeup) {
        match wakeup {
            Wakeup::None => {}
            Wakeup::Waited(line) => self.tasks.push_back(Task::FinishWait(line)),
            Wakeup::Completed(line) => self.tasks.push_back(Task::FinishTakeCompleted(line)),
            Wakeup::Certain(line) => self.release_waiting(line),
        }
    }

    /// A job cannot go on: `rank` did something wrong.
    pub(crate) fn misuse(&mut self, rank: RankId, text: String) {
        self.end_job(rank, Ending::Misuse { rank: rank.get(), text });
    }

    /// The job of a rank ends.
    pub(crate) fn end_job(&mut self, rank: RankId, ending: Ending) {
        self.jobs.end(self.jobs.of(rank), ending, self.now());
    }

    /// Jobs end whose lines have all ended. Ranks of graphs may end at a date of their own, which the kernel does not see. True
    /// if there was such a job.
    pub(crate) fn finish_jobs(&mut self) -> bool {
        let Some((job, mut ranks)) = self.jobs.without_lines() else { return false };
        let beyond = ranks.any(|rank| self.ranks.end(rank) == Time::MAX);
        let ending = if beyond { Ending::BeyondTime } else { Ending::Finished };
        self.jobs.end(job, ending, self.now());
        true
    }

    /// The line has its answer.
    pub(crate) fn make_ready(&mut self, line: LineId) {
        let now = self.now();
        let state = self.ranks.line_mut(line);
        state.phase = Phase::Ready;
        (state.reply.now, state.reply.early) = (now, false);
        self.turns.resume(line);
        self.release_ready(line);
        self.record_call(line);
    }

    /// The line pays `cost` and then has its answer.
    pub(crate) fn reply_after(&mut self, line: LineId, cost: Duration) {
        if cost.is_zero() {
            self.make_ready(line);
        } else {
            self.pay(line, cost, Then::Reply);
        }
    }

    /// The line pays for a call.
    pub(crate) fn pay(&mut self, line: LineId, cost: Duration, then: Then) {
        self.ranks.line_mut(line).phase = Phase::Paying(then);
        self.wire.start_timer(cost, Due::Line(line));
        if then == Then::Reply {
            self.release(line);
        }
    }

    /// Copies the bytes of completed requests that still lend their memory: the rank may change it once it gets its answer.
    /// Then puts what is complete into the reply. Gives what receiving costs the line.
    pub(crate) fn gather_completions(&mut self, line: LineId) -> Duration {
        let mut from = 0;
        while let Some(message) = self.ranks.next_lent(line, &mut from) {
            self.transport.take_over(&mut self.data, message);
        }
        self.ranks.gather_completions(line, self.now())
    }

    /// Has the rank's output printed, before the call that follows it.
    pub(crate) fn show_output(&mut self, rank: RankId) {
        if self.ranks.set_wrote(rank, false) {
            self.turns.output(rank);
        }
    }

    /// The call a line is in is over.
    #[inline(always)]
    pub(crate) fn record_call(&mut self, line: LineId) {
        let Line { rank, stamp, entered, in_function, inbox, .. } = self.ranks.line(line);
        let (start, end) = (*entered, self.now());
        if !in_function {
            if end > start {
                let pause = Record::Pause { rank: rank.get(), start, end };
                self.observers.record_of(line, *rank, &pause);
            }
        } else if !self.observers.wants_arguments() {
            self.observers.call((line, *rank), stamp, (start, end), None);
        } else if inbox.is_empty() {
            self.unrecorded = true;
        } else {
            self.record_again(line);
        }
    }

    /// The same for an MPI function whose arguments are at hand.
    pub(crate) fn record_details(&mut self, line: LineId, call: &Call<'_>) {
        let Line { rank, stamp, entered, reply, .. } = self.ranks.line(line);
        let details = Some(Details { call, reply });
        self.observers.call((line, *rank), stamp, (*entered, self.now()), details);
    }

    /// The same where they are to be read again, since the function has blocked: most are waits or receives.
    #[inline(never)]
    fn record_again(&mut self, line: LineId) {
        let Line { rank, stamp, entered, inbox, reply, wait, .. } = self.ranks.line(line);
        let span = (*entered, self.now());
        let observers = &mut self.observers;
        let again = observers.wants_collectives_again();
        let mut record = |call: Option<&Call<'_>>| {
            let details = call.map(|call| Details { call, reply });
            observers.call((line, *rank), stamp, span, details);
        };
        match inbox.current_sort() {
            HeadKind::Wait => {
                record(Some(&Call::Wait { how: wait.how, poll: false, requests: &wait.requests }))
            }
            HeadKind::Collective if !again => record(None),
            _ => match &inbox.current_receive() {
                Some(receive) => record(Some(receive)),
                None => record(inbox.current_call().as_ref()),
            },
        }
    }

    /// A line is no more: if it is the first of its rank, so is the rank.
    pub(crate) fn record_end(&mut self, line: LineId) {
        let state = self.ranks.line(line);
        let blocked = match state.phase {
            Phase::Waiting
            | Phase::TakingCompleted
            | Phase::Probing(_)
            | Phase::InCollective(_)
            | Phase::Migrating => Some((state.entered, state.stamp.function, state.stamp.site)),
            _ => None,
        };
        let gone = state.phase.is(&Phase::Gone);
        let ended = self.jobs.ending(self.jobs.of(state.rank)).map_or(self.now(), |&(_, time)| time);
        let at = if gone { self.ranks.end(state.rank) } else { ended };
        if line != LineId::first_of(state.rank) {
            if blocked.is_some() {
                self.observers.never_returned((line, state.rank), &state.stamp, (state.entered, at));
            }
            return;
        }
        let ideal = self.observers.has_ideal().then_some(state.ideal);
        let rank = state.rank.get();
        self.observers.record_of(line, state.rank, &Record::End { rank, at, blocked, ideal });
    }
}

/// Does a schedule make progress only in calls, and is its rank in none?
pub(super) fn rank_is_away<M: Memory>(core: &Core<M>, id: RunId) -> bool {
    if core.protocol().progress == LibraryProgress::Background {
        return false;
    }
    core.ranks.is_away(core.collectives.run(id).rank)
}
