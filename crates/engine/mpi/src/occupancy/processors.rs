//! Processors of ranks that are programs: first come, first served.
//!
//! A message counts from its sending, and what a rank does next counts from the start of what it did before, as in
//! LogGOPSim, where the rank is freed then. So ranks that go on at an instant come before what has waited less long, and
//! those that wait are served when all ranks have had their chance. A send that waits for the interface lets computation and
//! messages pass, and so on.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_call::{LineId, RankId};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use super::costs::Interface;
use crate::due::Due;
use crate::ids::{MessageId, RunId, WorkId};
use crate::protocol::ProcessorCosts;
use crate::wire::Wire;

/// All processors and interfaces.
#[derive(Debug)]
pub(crate) struct Processors {
    costs: ProcessorCosts,
    hosts: Arc<[HostId]>,
    by_rank: Vec<Processor>,
    by_host: Vec<Interface>,
    /// Counts what happens, to tell what came first.
    turns: u64,
    /// Ranks whose processors may have something to start at this instant.
    due: VecDeque<RankId>,
}

/// The processor of a rank.
#[derive(Debug)]
struct Processor {
    /// Until when; `MAX` while it computes, which ends by itself.
    busy: Time,
    /// The turn from which the rank's next action counts.
    since: u64,
    /// When its rank goes on after its last wait.
    goes_on: Time,
    /// When it is looked at next.
    wake: Time,
    /// Waiting jobs and messages, once there has been one.
    waiting: Option<Box<Waiting>>,
}

/// Order of service: the turn from which an entry counts, then the turn at which it came to wait.
type Priority = (u64, u64);

/// The jobs and messages that wait for a processor, each queue in order.
#[derive(Debug, Default)]
struct Waiting {
    works: VecDeque<(Priority, Job)>,
    sends: VecDeque<(Priority, Job, u64)>,
    arrivals: VecDeque<(Priority, MessageId)>,
}

/// A user of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// A line of the rank.
    Line(LineId),
    /// A schedule of a collective.
    Run(RunId),
    /// A computation beside the rank.
    Work(WorkId),
}

/// The next to start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    Work(Job),
    Send(Job, u64),
    Arrival(MessageId),
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.works.is_empty() && self.sends.is_empty() && self.arrivals.is_empty()
    }

    /// When each kind can start, given when the processor and the interface can.
    fn dates(&self, busy: Time, interface: Interface) -> [Option<(Priority, Time)>; 3] {
        [
            self.works.front().map(|&(priority, _)| (priority, busy)),
            self.sends.front().map(|&(priority, ..)| (priority, busy.max(interface.sends))),
            self.arrivals.front().map(|&(priority, _)| (priority, busy.max(interface.takes))),
        ]
    }

    /// Takes out the first of those that can start.
    fn take(&mut self, now: Time, busy: Time, interface: Interface) -> Option<Start> {
        let dates = self.dates(busy, interface);
        let ready = (0..3).filter(|&kind| dates[kind].is_some_and(|(_, at)| at <= now));
        match ready.min_by_key(|&kind| dates[kind].map(|(priority, _)| priority))? {
            0 => self.works.pop_front().map(|(_, job)| Start::Work(job)),
            1 => self.sends.pop_front().map(|(_, job, bytes)| Start::Send(job, bytes)),
            _ => self.arrivals.pop_front().map(|(_, message)| Start::Arrival(message)),
        }
    }

    /// Does something wait that came before `turn` and can start?
    fn has_older(&self, turn: u64, now: Time, interface: Interface) -> bool {
        self.dates(now, interface).into_iter().flatten().any(|((older, _), at)| older < turn && at <= now)
    }
}

/// Enters something at its place; what comes late is seldom old.
fn enter<T>(queue: &mut VecDeque<T>, what: T, priority: impl Fn(&T) -> Priority) {
    let mut place = queue.len();
    while place > 0 && priority(&queue[place - 1]) > priority(&what) {
        place -= 1;
    }
    queue.insert(place, what);
}

impl Processors {
    /// One for each rank.
    pub(super) fn new(costs: ProcessorCosts, hosts: Arc<[HostId]>) -> Processors {
        let count = hosts.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
        let idle =
            |_| Processor { busy: Time::ZERO, since: 0, goes_on: Time::ZERO, wake: Time::MAX, waiting: None };
        let by_rank = (0..hosts.len()).map(idle).collect();
        let by_host = vec![Interface::default(); count];
        Processors { costs, hosts, by_rank, by_host, turns: 0, due: VecDeque::new() }
    }

    /// Something has happened that others come after.
    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Sets the turn from which the rank's next action counts.
    pub(crate) fn count_from(&mut self, rank: RankId, turn: u64) {
        self.by_rank[rank.index()].since = turn;
    }

    /// The turn from which the rank's next action counts.
    pub(crate) fn since(&self, rank: RankId) -> u64 {
        self.by_rank[rank.index()].since
    }

    pub(super) fn free_rank(&mut self, rank: RankId, now: Time) {
        let busy = self.busy_with_message(rank, now);
        self.by_rank[rank.index()].goes_on = now + busy;
    }

    pub(super) fn busy_with_message(&self, rank: RankId, now: Time) -> Duration {
        match self.by_rank[rank.index()].busy {
            Time::MAX => Duration::ZERO,
            busy => busy.since(now),
        }
    }

    pub(super) fn busy_after_wait(&self, rank: RankId, now: Time) -> Duration {
        self.by_rank[rank.index()].goes_on.since(now)
    }

    /// A processor is free again.
    pub(crate) fn free(&mut self, rank: RankId, now: Time) {
        self.by_rank[rank.index()].busy = now;
    }

    /// True if the processor is the job's, which starts to compute; else the job waits.
    pub(crate) fn claim_work(&mut self, wire: &mut Wire, rank: RankId, job: Job) -> bool {
        let (now, interface) = (wire.now(), self.interface(rank));
        let (turn, came) = (self.turn_of(rank, job), self.next_turn());
        let processor = &mut self.by_rank[rank.index()];
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if processor.busy <= now && processor.waiting.as_deref().is_none_or(first) {
            return true;
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.works, ((turn, came), job), |&(priority, _)| priority);
        self.look_at(wire, rank);
        false
    }

    /// True if processor and interface are the job's, which starts to send; else the job waits.
    pub(crate) fn claim_send(&mut self, wire: &mut Wire, rank: RankId, job: Job, bytes: u64) -> bool {
        let (now, interface) = (wire.now(), self.interface(rank));
        let (turn, came) = (self.turn_of(rank, job), self.next_turn());
        let processor = &mut self.by_rank[rank.index()];
        let free = processor.busy <= now && interface.sends <= now;
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if free && processor.waiting.as_deref().is_none_or(first) {
            self.occupy_for_send(rank, bytes, now);
            return true;
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.sends, ((turn, came), job, bytes), |&(priority, ..)| priority);
        self.look_at(wire, rank);
        false
    }

    /// A message has arrived, which was number `turn` of all that happened. True if the processor takes it now; else the
    /// message waits.
    pub(crate) fn claim_arrival(&mut self, wire: &mut Wire, rank: RankId, turn: u64, id: MessageId) -> bool {
        let (now, interface) = (wire.now(), self.interface(rank));
        let processor = &mut self.by_rank[rank.index()];
        // A processor that has become free at this instant is first its rank's, unless the message is older than what the rank does.
        let own_first = processor.busy == now && turn > processor.since;
        let free = processor.busy <= now && interface.takes <= now && !own_first;
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if free && processor.waiting.as_deref().is_none_or(first) {
            return true;
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.arrivals, ((turn, 0), id), |&(priority, _)| priority);
        self.look_at(wire, rank);
        false
    }

    /// The processor computes from now on; what its rank does next counts from here.
    pub(crate) fn occupy_for_work(&mut self, rank: RankId) {
        self.occupy(rank, Time::MAX);
    }

    /// The processor sends from now on.
    pub(crate) fn occupy_for_send(&mut self, rank: RankId, bytes: u64, now: Time) {
        self.occupy(rank, now + self.costs.sending(bytes));
        let gap = self.costs.gap(bytes);
        self.by_host[self.hosts[rank.index()].0 as usize].sends = now + gap;
    }

    /// The processor takes a message from now on; gives for how long.
    pub(crate) fn occupy_for_arrival(&mut self, rank: RankId, bytes: u64, now: Time) -> Duration {
        let (busy, gap) = (self.costs.receiving(bytes), self.costs.gap(bytes));
        self.by_rank[rank.index()].busy = now + busy;
        self.by_host[self.hosts[rank.index()].0 as usize].takes = now + gap;
        busy
    }

    /// Takes an entry that has waited longer than the rank's next call, and comes before it because the processor is free.
    pub(crate) fn take_older(&mut self, rank: RankId, now: Time) -> Option<Start> {
        let interface = self.interface(rank);
        let processor = &mut self.by_rank[rank.index()];
        let since = processor.since;
        let waiting = processor.waiting.as_deref_mut()?;
        if processor.busy <= now && waiting.has_older(since, now, interface) {
            return waiting.take(now, processor.busy, interface);
        }
        None
    }

    /// The next of those that wait for a processor, if it can start.
    pub(crate) fn take_next(&mut self, rank: RankId, now: Time) -> Option<Start> {
        let interface = self.interface(rank);
        let processor = &mut self.by_rank[rank.index()];
        processor.waiting.as_mut()?.take(now, processor.busy, interface)
    }

    /// A rank whose processor may have something to start, once all ranks have had their chance at this instant.
    pub(crate) fn next_due(&mut self) -> Option<RankId> {
        let rank = self.due.pop_front()?;
        self.by_rank[rank.index()].wake = Time::MAX;
        Some(rank)
    }

    /// The timer of a processor has expired.
    pub(crate) fn timer_expired(&mut self, rank: RankId, now: Time) {
        // Another look may have been earlier, or may be set for later.
        if self.by_rank[rank.index()].wake == now {
            self.due.push_back(rank);
        }
    }

    /// Sets a timer for when what waits for a processor can start.
    pub(crate) fn look_at(&mut self, wire: &mut Wire, rank: RankId) {
        let (now, interface) = (wire.now(), self.interface(rank));
        let processor = &mut self.by_rank[rank.index()];
        let Some(waiting) = processor.waiting.as_deref().filter(|waiting| !waiting.is_empty()) else {
            return;
        };
        let dates = waiting.dates(processor.busy, interface).into_iter().flatten();
        let next = dates.map(|(_, at)| at.max(now)).min().unwrap_or(Time::MAX);
        if next >= processor.wake {
            return;
        }
        processor.wake = next;
        if next == now {
            self.due.push_back(rank);
        } else {
            wire.start_timer(next.since(now), Due::Processor(rank));
        }
    }

    fn interface(&self, rank: RankId) -> Interface {
        self.by_host[self.hosts[rank.index()].0 as usize]
    }

    /// The turn from which a job counts: for the rank itself the start of its previous action, for its collectives now.
    fn turn_of(&mut self, rank: RankId, job: Job) -> u64 {
        match job {
            Job::Line(_) | Job::Work(_) => self.by_rank[rank.index()].since,
            Job::Run(_) => self.next_turn(),
        }
    }

    fn occupy(&mut self, rank: RankId, until: Time) {
        let since = self.next_turn();
        let processor = &mut self.by_rank[rank.index()];
        (processor.busy, processor.since) = (until, since);
    }
}
