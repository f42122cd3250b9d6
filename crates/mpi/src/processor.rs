//! Processors that messages keep busy: LogGOPS.
//!
//! Each rank has one processor, which does one thing at a time: it computes, it sends (o + (s−1)·O), it takes a message
//! that has arrived (o + (s−1)·max(O, G)). Each host has a network interface that lets g + (s−1)·G pass between two
//! sends, and between two messages it takes. What cannot start waits, first come, first served; a send that waits for
//! the interface lets computation and messages pass, and so on.
//!
//! ```text
//!            o                L                  o + (s−1)·G
//! rank 0  ▓▓▓▓▓▓▓▓──────────────────────┐
//! rank 1                                └─▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ delivered
//!         send: bytes leave         visible, matched
//! ```
//!
//! Who was first: a message counts from its sending, what a rank does next counts from the start of what it did before,
//! as in LogGOPSim, where it is freed then. So ranks that go on at an instant come before what has waited less long,
//! and those who wait are served when all ranks have had their chance.

use std::collections::VecDeque;

use mpirage_call::Call;
use mpirage_call::wire::decode_call;
use mpirage_collectives::Step;
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::engine::{Engine, Task};
use crate::memory::Memory;
use crate::message::Journey;
use crate::protocol::ProcessorCosts;
use crate::rank::{Claim, Phase};
use crate::token;

/// All processors and interfaces; none in models without.
#[derive(Debug, Default)]
pub(crate) struct Processors {
    by_rank: Vec<Processor>,
    by_host: Vec<Interface>,
    /// Counts what happens, to tell what came first.
    turns: u64,
    /// Ranks whose processors may have something to start at this instant.
    due: VecDeque<u32>,
}

/// The processor of a rank.
#[derive(Debug)]
struct Processor {
    /// Until when; `MAX` while it computes, which ends by itself.
    busy: Time,
    /// What its rank does next counts from here.
    since: u64,
    /// When its rank goes on behind what it waited for last.
    goes_on: Time,
    /// When it is looked at next.
    wake: Time,
    /// What waits, once something has.
    waiting: Option<Box<Waiting>>,
}

/// When an interface can send, and take, the next message.
#[derive(Clone, Copy, Debug, Default)]
struct Interface {
    sends: Time,
    takes: Time,
}

/// Who was first: from when something counts, and when it came to wait.
type Place = (u64, u64);

/// What waits for a processor, each in order.
#[derive(Debug, Default)]
struct Waiting {
    works: VecDeque<(Place, Job)>,
    sends: VecDeque<(Place, Job, u64)>,
    arrivals: VecDeque<(Place, u32)>,
}

/// Who wants a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// The rank itself.
    Rank,
    /// A schedule of a collective.
    Run(u32),
    /// Something that is computed beside.
    Beside(u32),
}

/// The next to start.
enum Start {
    Work(Job),
    Send(Job, u64),
    Arrival(u32),
}

impl Processors {
    /// One for each rank.
    pub(crate) fn new(placement: &[HostId]) -> Processors {
        let hosts = placement.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
        let idle =
            |_| Processor { busy: Time::ZERO, since: 0, goes_on: Time::ZERO, wake: Time::MAX, waiting: None };
        let by_rank = (0..placement.len()).map(idle).collect();
        Processors { by_rank, by_host: vec![Interface::default(); hosts], ..Processors::default() }
    }

    /// Something has happened that others come after.
    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.works.is_empty() && self.sends.is_empty() && self.arrivals.is_empty()
    }

    /// When each kind can start, given when the processor and the interface can.
    fn dates(&self, busy: Time, interface: Interface) -> [Option<(Place, Time)>; 3] {
        [
            self.works.front().map(|&(place, _)| (place, busy)),
            self.sends.front().map(|&(place, ..)| (place, busy.max(interface.sends))),
            self.arrivals.front().map(|&(place, _)| (place, busy.max(interface.takes))),
        ]
    }

    /// Takes out the first of those that can start.
    fn take(&mut self, now: Time, busy: Time, interface: Interface) -> Option<Start> {
        let dates = self.dates(busy, interface);
        let ready = (0..3).filter(|&kind| dates[kind].is_some_and(|(_, at)| at <= now));
        match ready.min_by_key(|&kind| dates[kind].map(|(place, _)| place))? {
            0 => self.works.pop_front().map(|(_, job)| Start::Work(job)),
            1 => self.sends.pop_front().map(|(_, job, bytes)| Start::Send(job, bytes)),
            _ => self.arrivals.pop_front().map(|(_, message)| Start::Arrival(message)),
        }
    }

    /// Has something that came before `turn` and can start waited?
    fn has_older(&self, turn: u64, now: Time, interface: Interface) -> bool {
        self.dates(now, interface).into_iter().flatten().any(|((older, _), at)| older < turn && at <= now)
    }
}

/// Enters something at its place; what comes late is seldom old.
fn enter<T>(queue: &mut VecDeque<T>, what: T, place_of: impl Fn(&T) -> Place) {
    let mut place = queue.len();
    while place > 0 && place_of(&queue[place - 1]) > place_of(&what) {
        place -= 1;
    }
    queue.insert(place, what);
}

impl<M: Memory> Engine<M> {
    /// The next call of a rank needs the processor. True if it must wait for it.
    pub(crate) fn call_waits(&mut self, rank: u32) -> bool {
        let state = &self.ranks[rank as usize];
        if self.graphs.is_some() {
            return false;
        }
        let Ok((_, Call::Send { bytes, .. }, _)) = decode_call(&state.inbox[state.cursor..]) else {
            return false;
        };
        let starts = self.claim_send(rank, Job::Rank, bytes);
        if !starts {
            self.ranks[rank as usize].phase = Phase::Claiming(Claim::Call);
        }
        !starts
    }

    /// How long a rank whose wait is over cannot go on yet, because its processor was busy when what it waited for was done.
    pub(crate) fn busy_after_wait(&self, rank: u32) -> Duration {
        let processor = self.processors.by_rank.get(rank as usize);
        processor.map_or(Duration::ZERO, |processor| processor.goes_on.since(self.kernel.now()))
    }

    /// A message of a rank has found its receive, or a receive its message: what the rank does next counts from here.
    pub(crate) fn count_from_match(&mut self, rank: u32) -> u64 {
        if self.processors.by_rank.is_empty() {
            return 0;
        }
        let turn = self.processors.next_turn();
        self.count_from(rank, turn);
        turn
    }

    /// What the rank does next counts from here: from the start of what is done now.
    pub(crate) fn count_from(&mut self, rank: u32, turn: u64) {
        if let Some(processor) = self.processors.by_rank.get_mut(rank as usize) {
            processor.since = turn;
        }
    }

    /// What a rank waited for is done; it goes on as soon as its processor has done what it does now.
    pub(crate) fn free_rank(&mut self, rank: u32) {
        let busy = self.busy_yet(rank);
        if let Some(processor) = self.processors.by_rank.get_mut(rank as usize) {
            processor.goes_on = self.kernel.now() + busy;
        }
    }

    /// How long a processor is busy yet with a message: so long its rank cannot go on, not even to post a receive.
    pub(crate) fn busy_yet(&self, rank: u32) -> Duration {
        match self.processors.by_rank.get(rank as usize) {
            Some(processor) if processor.busy != Time::MAX => processor.busy.since(self.kernel.now()),
            _ => Duration::ZERO,
        }
    }

    /// A step of a schedule needs the processor. True if it must wait for it.
    pub(crate) fn step_waits(&mut self, rank: u32, run: u32, step: Step) -> bool {
        match step {
            Step::Send { bytes, .. } | Step::Isend { bytes, .. } => {
                !self.claim_send(rank, Job::Run(run), bytes)
            }
            Step::Recv { .. } | Step::Irecv { .. } => {
                let busy = self.busy_after_wait(rank);
                if !busy.is_zero() {
                    self.kernel.start_timer(busy, token::run(run));
                }
                !busy.is_zero()
            }
            _ => false,
        }
    }

    /// A rank computes, now or when its processor is free.
    pub(crate) fn compute_on_processor(&mut self, rank: u32, claim: Claim) {
        if self.claim_work(rank, Job::Rank) {
            self.start_own_work(rank, claim);
        } else {
            self.ranks[rank as usize].phase = Phase::Claiming(claim);
        }
    }

    /// Something is computed beside a rank, now or when its processor is free.
    pub(crate) fn compute_beside_on_processor(&mut self, rank: u32, id: u32) {
        if self.claim_work(rank, Job::Beside(id)) {
            self.start_beside(id);
        }
    }

    /// What a processor computed is done.
    pub(crate) fn end_of_work(&mut self, rank: u32) {
        if self.protocol.processor.is_some() {
            let now = self.kernel.now();
            self.processors.by_rank[rank as usize].busy = now;
            self.serve_older(rank);
            self.look_at(rank);
        }
    }

    /// A processor is free again: what has waited longer than its rank's next call comes before that.
    pub(crate) fn serve_older(&mut self, rank: u32) {
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let processor = &self.processors.by_rank[rank as usize];
        let older = |waiting: &Waiting| waiting.has_older(processor.since, now, interface);
        if processor.busy <= now
            && processor.waiting.as_deref().is_some_and(older)
            && let Some(start) = self.next_start(rank)
        {
            self.start(rank, start);
        }
    }

    /// A message has come: the processor takes it, now or when it can.
    pub(crate) fn take_arrival(&mut self, id: u32) {
        if self.graphs.is_some() {
            return self.graph_arrival(id);
        }
        let message = &mut self.messages[id];
        message.journey = Journey::AtDoor;
        let (rank, turn) = (message.to, message.turn());
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let processor = &mut self.processors.by_rank[rank as usize];
        // A processor that has become free at this instant is its rank's first, unless the message is older than what that does.
        let own_first = processor.busy == now && turn > processor.since;
        let free = processor.busy <= now && interface.takes <= now && !own_first;
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if free && processor.waiting.as_deref().is_none_or(first) {
            return self.start_receiving(id);
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.arrivals, ((turn, 0), id), |&(place, _)| place);
        self.look_at(rank);
    }

    /// Starts what waits and can, once all ranks have had their chance at this instant. True if there was something to do.
    pub(crate) fn serve_processors(&mut self) -> bool {
        if self.graphs.is_some() {
            return self.serve_graphs();
        }
        let Some(rank) = self.processors.due.pop_front() else { return false };
        self.processors.by_rank[rank as usize].wake = Time::MAX;
        while let Some(start) = self.next_start(rank) {
            self.start(rank, start);
        }
        self.look_at(rank);
        true
    }

    fn start(&mut self, rank: u32, start: Start) {
        match start {
            Start::Work(job) => self.start_work(rank, job),
            Start::Send(job, bytes) => self.start_send(rank, job, bytes),
            Start::Arrival(message) => self.start_receiving(message),
        }
    }

    /// It is time to look at a processor.
    pub(crate) fn processor_due(&mut self, rank: u32) {
        if self.graphs.is_some() {
            return self.graphs_due();
        }
        // Another look may have been earlier, or may be set for later.
        if self.processors.by_rank[rank as usize].wake == self.kernel.now() {
            self.processors.due.push_back(rank);
        }
    }

    fn interface(&self, rank: u32) -> Interface {
        self.processors.by_host[self.hosts[rank as usize].0 as usize]
    }

    fn next_start(&mut self, rank: u32) -> Option<Start> {
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let processor = &mut self.processors.by_rank[rank as usize];
        processor.waiting.as_mut()?.take(now, processor.busy, interface)
    }

    /// Sees to it that what waits for a processor is started as soon as it can.
    fn look_at(&mut self, rank: u32) {
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let processor = &mut self.processors.by_rank[rank as usize];
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
            self.processors.due.push_back(rank);
        } else {
            self.kernel.start_timer(next.since(now), token::processor(rank));
        }
    }

    /// True if the processor is the job's, which starts to compute; else it waits.
    fn claim_work(&mut self, rank: u32, job: Job) -> bool {
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let (turn, came) = (self.turn_of(rank, job), self.processors.next_turn());
        let processor = &mut self.processors.by_rank[rank as usize];
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if processor.busy <= now && processor.waiting.as_deref().is_none_or(first) {
            return true;
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.works, ((turn, came), job), |&(place, _)| place);
        self.look_at(rank);
        false
    }

    /// True if processor and interface are the job's, which starts to send; else it waits.
    fn claim_send(&mut self, rank: u32, job: Job, bytes: u64) -> bool {
        let (now, interface) = (self.kernel.now(), self.interface(rank));
        let (turn, came) = (self.turn_of(rank, job), self.processors.next_turn());
        let processor = &mut self.processors.by_rank[rank as usize];
        let free = processor.busy <= now && interface.sends <= now;
        let first = |waiting: &Waiting| !waiting.has_older(turn, now, interface);
        if free && processor.waiting.as_deref().is_none_or(first) {
            self.occupy_for_send(rank, bytes);
            return true;
        }
        let waiting = processor.waiting.get_or_insert_default();
        enter(&mut waiting.sends, ((turn, came), job, bytes), |&(place, ..)| place);
        self.look_at(rank);
        false
    }

    /// What a rank does counts from the start of what it did before, its collectives from now.
    fn turn_of(&mut self, rank: u32, job: Job) -> u64 {
        match job {
            Job::Rank | Job::Beside(_) => self.processors.by_rank[rank as usize].since,
            Job::Run(_) => self.processors.next_turn(),
        }
    }

    pub(crate) fn costs(&self) -> &ProcessorCosts {
        self.protocol.processor.as_ref().expect("only models with processors come here")
    }

    /// The processor is busy for so long; what its rank does next counts from here.
    fn occupy(&mut self, rank: u32, until: Time) {
        let since = self.processors.next_turn();
        let processor = &mut self.processors.by_rank[rank as usize];
        (processor.busy, processor.since) = (until, since);
    }

    fn occupy_for_send(&mut self, rank: u32, bytes: u64) {
        let now = self.kernel.now();
        let (busy, gap) = (self.costs().sending(bytes), self.costs().gap(bytes));
        self.occupy(rank, now + busy);
        self.processors.by_host[self.hosts[rank as usize].0 as usize].sends = now + gap;
    }

    fn start_send(&mut self, rank: u32, job: Job, bytes: u64) {
        self.occupy_for_send(rank, bytes);
        match job {
            Job::Rank => self.after_startup(rank),
            Job::Run(run) => self.tasks.push_back(Task::Run(run)),
            Job::Beside(_) => unreachable!("computations do not send"),
        }
    }

    fn start_work(&mut self, rank: u32, job: Job) {
        match (job, self.ranks[rank as usize].phase) {
            (Job::Rank, Phase::Claiming(claim)) => self.start_own_work(rank, claim),
            (Job::Beside(id), _) => self.start_beside(id),
            (job, phase) => unreachable!("{job:?} of a rank that is {phase:?}"),
        }
    }

    fn start_own_work(&mut self, rank: u32, claim: Claim) {
        self.occupy(rank, Time::MAX);
        let now = self.kernel.now();
        let state = &mut self.ranks[rank as usize];
        state.entered = now;
        state.phase = if claim == Claim::Burst { Phase::Computing } else { Phase::Executing };
        let work = self.ranks[rank as usize].work;
        let computation = self.computation(rank, self.seconds_of(rank, work), work);
        self.kernel.start_compute(computation, token::rank(rank));
    }

    fn start_beside(&mut self, id: u32) {
        let now = self.kernel.now();
        let beside = &mut self.beside[id as usize];
        beside.start = now;
        let (rank, work) = (beside.rank, beside.work);
        self.occupy(rank, Time::MAX);
        self.beside[id as usize].turn = self.processors.by_rank[rank as usize].since;
        let computation = self.computation(rank, self.seconds_of(rank, work), work);
        self.kernel.start_compute(computation, token::beside(id));
    }

    /// The processor takes a message: it is visible from here on, and there when that is done.
    fn start_receiving(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.journey = Journey::Receiving;
        let (rank, bytes) = (message.to, message.bytes);
        let (busy, gap) = (self.costs().receiving(bytes), self.costs().gap(bytes));
        let now = self.kernel.now();
        self.processors.by_rank[rank as usize].busy = now + busy;
        self.processors.by_host[self.hosts[rank as usize].0 as usize].takes = now + gap;
        self.kernel.start_timer(busy, token::transfer(id));
        self.make_visible(id);
    }
}

impl ProcessorCosts {
    /// How long a send keeps the processor busy.
    pub(crate) fn sending(&self, bytes: u64) -> Duration {
        self.overhead + span(bytes, self.overhead_per_byte)
    }

    /// How long a message that has come does.
    pub(crate) fn receiving(&self, bytes: u64) -> Duration {
        self.overhead + span(bytes, self.overhead_per_byte.max(self.gap_per_byte))
    }

    /// How long an interface rests from the start of one message to that of the next.
    pub(crate) fn gap(&self, bytes: u64) -> Duration {
        self.gap + span(bytes, self.gap_per_byte)
    }
}

/// The first byte comes with the message.
fn span(bytes: u64, seconds_per_byte: f64) -> Duration {
    crate::protocol::per_byte(bytes.saturating_sub(1), seconds_per_byte)
}
