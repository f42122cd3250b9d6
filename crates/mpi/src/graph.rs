//! Ranks that are graphs, on processors that do one thing at a time: events in LogGOPSim's order.
//!
//! There is one queue, ordered by date and by turn. What becomes free is entered once, with the next turn and the date at
//! which its processor (for a send, its interface too) will be free; what finds them busy when its date comes is entered again
//! for when they are not, and keeps its turn. Thousands may wait for one processor, so in fact they do so beside the queue, in
//! which the first of them stands for all. What has a later date of its own, and receives, are in the queue themselves.
//!
//! ```text
//! date, turn   what              if it can start
//! 0      1     calc 1000 of 0    its end is certain: 1000. What waited for it is entered: (1000, 4)
//! 0      2     recv of 1         is posted, whatever the processor does
//! 1000   4     send from 0       the message is entered: (1000 + o + L, 5); what waited for the send: (1000 + o, 6)
//! ```
//!
//! So a graph is told that something is complete when it starts, with the date of its end, and hands over what that frees
//! before the next event. Turns are given in order of events, ranks, kinds (sends, receives, computations), and freeing: that
//! order decides who is first where dates are equal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use mpirage_call::{Completion, RequestId, Work};
use mpirage_platform::HostId;
use mpirage_record::Record;
use mpirage_units::{Duration, Time};

use crate::compute::{Beside, Bursts};
use crate::engine::Engine;
use crate::memory::Memory;
use crate::message::{Journey, Message, Owner, Receive};
use crate::perform::Progress;
use crate::rank::Phase;
use crate::request::Operation;
use crate::token;

/// The processors and interfaces of graphs, and what waits for them.
#[derive(Debug)]
pub(crate) struct Graphs {
    /// Those of each rank, from the first up to the last it has used.
    processors: Vec<Lanes<Processor>>,
    /// Those of each host.
    interfaces: Vec<Lanes<Interface>>,
    /// When what each rank has just been told of ends.
    ends: Vec<Time>,
    queue: BinaryHeap<Reverse<Event>>,
    /// For when the kernel is to wake us.
    set: Time,
    /// Where the next operation runs.
    lane: Lane,
    /// Lanes of messages that are on their way and not in the first.
    lanes: HashMap<u32, Lane>,
}

/// A processor of a rank.
#[derive(Debug, Default)]
struct Processor {
    /// When it is free.
    free: Time,
    waiting: Option<Box<Waiting>>,
}

/// What has found a processor, or an interface, busy. Each queue is in order of turns.
#[derive(Debug, Default)]
struct Waiting {
    works: Queue,
    /// By interface.
    sends: Vec<Queue>,
    arrivals: Vec<Queue>,
    /// What stands for all in the queue of events.
    first: Option<(Time, u64)>,
}

type Queue = BinaryHeap<Reverse<Waiter>>;

/// What waits, in order of turns; the queue it is in says the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiter {
    turn: u64,
    id: u32,
    tell: bool,
}

/// When an interface can send, and take, the next message.
#[derive(Clone, Copy, Debug, Default)]
struct Interface {
    sends: Time,
    takes: Time,
}

/// Where an operation runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lane {
    pub cpu: u8,
    pub nic: u8,
    /// The rank wants to know when it has started.
    pub tell: bool,
    /// So much later than the date of the last reply.
    pub after: Duration,
}

/// One of a kind, or several.
#[derive(Debug, Default)]
struct Lanes<T> {
    first: T,
    others: Vec<T>,
}

impl<T: Default> Lanes<T> {
    fn at(&mut self, lane: u8) -> &mut T {
        let Some(other) = usize::from(lane).checked_sub(1) else { return &mut self.first };
        if self.others.len() <= other {
            self.others.resize_with(other + 1, T::default);
        }
        &mut self.others[other]
    }
}

impl Waiting {
    /// The queue of those that wait for the same.
    fn queue(&mut self, what: What, nic: u8) -> &mut Queue {
        let queues = match what {
            What::Send => &mut self.sends,
            What::Arrival => &mut self.arrivals,
            What::Work | What::Post | What::First => return &mut self.works,
        };
        let nic = usize::from(nic);
        if queues.len() <= nic {
            queues.resize_with(nic + 1, Queue::new);
        }
        &mut queues[nic]
    }

    /// Who is next, and when: of those that can start earliest the one whose turn it is.
    fn next(&self, free: Time, interfaces: &mut Lanes<Interface>) -> Option<(Time, u64, What, u8)> {
        let front =
            |queue: &Queue, at: Time, what, nic| queue.peek().map(|first| (at, first.0.turn, what, nic));
        let mut next = front(&self.works, free, What::Work, 0);
        let mut consider = |other: Option<_>| {
            if let Some(other) = other {
                next = Some(next.map_or(other, |next| other.min(next)));
            }
        };
        for (nic, queue) in (0u8..).zip(&self.sends) {
            consider(front(queue, interfaces.at(nic).sends.max(free), What::Send, nic));
        }
        for (nic, queue) in (0u8..).zip(&self.arrivals) {
            consider(front(queue, interfaces.at(nic).takes.max(free), What::Arrival, nic));
        }
        next
    }
}

/// Something whose date is to come. The order of the fields is the order of events; no two have the same turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Time,
    turn: u64,
    what: What,
    /// The message, receive or computation.
    id: u32,
    cpu: u8,
    nic: u8,
    tell: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Send,
    Post,
    Work,
    Arrival,
    /// Stands for all that wait for a processor; `id` is its rank.
    First,
}

impl Graphs {
    fn new(placement: &[HostId]) -> Graphs {
        let hosts = placement.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
        Graphs {
            processors: (0..placement.len()).map(|_| Lanes::default()).collect(),
            interfaces: (0..hosts).map(|_| Lanes::default()).collect(),
            ends: vec![Time::ZERO; placement.len()],
            queue: BinaryHeap::new(),
            set: Time::MAX,
            lane: Lane::default(),
            lanes: HashMap::new(),
        }
    }

    fn lane_of(&self, message: u32) -> Lane {
        if self.lanes.is_empty() {
            Lane::default()
        } else {
            self.lanes.get(&message).copied().unwrap_or_default()
        }
    }

    fn processor(&mut self, rank: u32, cpu: u8) -> &mut Processor {
        self.processors[rank as usize].at(cpu)
    }

    /// What a rank has just been told of ends then, if not later.
    fn ends_at(&mut self, rank: u32, end: Time) {
        let latest = &mut self.ends[rank as usize];
        *latest = end.max(*latest);
    }
}

impl<M: Memory> Engine<M> {
    /// All ranks are graphs: they open a request for all they do, and harvest. True if there are processors whose
    /// time they compete for; then they are to hand over at once what is free.
    pub fn run_graphs(&mut self) -> bool {
        if self.protocol.processor.is_some() {
            self.graphs = Some(Box::new(Graphs::new(&self.hosts)));
        }
        self.graphs.is_some()
    }

    /// Where the next operation of a rank runs, and from when on.
    #[inline(never)]
    pub(crate) fn choose_lane(&mut self, lane: Lane) -> Progress {
        if let Some(graphs) = &mut self.graphs {
            graphs.lane = lane;
        }
        Progress::Done
    }

    fn graphs(&mut self) -> &mut Graphs {
        self.graphs.as_mut().expect("only graphs come here")
    }

    fn interface_of(&mut self, rank: u32, nic: u8) -> &mut Interface {
        let host = self.hosts[rank as usize].0 as usize;
        self.graphs().interfaces[host].at(nic)
    }

    /// A rank hands over what is free: its date is that of its processor and, if it sends, of its interface.
    fn enter(&mut self, rank: u32, what: What, id: u32) -> Lane {
        let turn = self.processors.next_turn();
        let told = self.ranks[rank as usize].reply.now;
        let lane = std::mem::take(&mut self.graphs().lane);
        let Lane { cpu, nic, tell, after } = lane;
        let sends = if what == What::Send { self.interface_of(rank, nic).sends } else { Time::ZERO };
        let graphs = self.graphs();
        let free = graphs.processor(rank, cpu).free.max(sends);
        let at = free.max(told + after);
        let event = Event { at, turn, what, id, cpu, nic, tell };
        if what == What::Post || at > free {
            graphs.queue.push(Reverse(event));
        } else {
            self.wait_for_processor(rank, at, event);
        }
        lane
    }

    /// A message of a graph leaves when it can.
    #[inline(never)]
    pub(crate) fn hand_over_send(&mut self, id: u32) {
        let rank = self.messages[id].from;
        let told = self.ranks[rank as usize].reply.now;
        let lane = self.enter(rank, What::Send, id);
        self.messages[id].sent = told + lane.after;
        if (lane.cpu, lane.nic) != (0, 0) {
            self.graphs().lanes.insert(id, lane);
        }
    }

    /// A receive of a graph is posted when its processor is free.
    #[inline(never)]
    pub(crate) fn hand_over_receive(&mut self, receive: Receive, request: RequestId) {
        let rank = receive.rank;
        let id = self.enter_receive(receive);
        self.ranks[rank as usize].requests[request.index()].behind = id;
        self.enter(rank, What::Post, id);
    }

    /// A graph computes when its processor is free.
    #[inline(never)]
    pub(crate) fn hand_over_work(&mut self, rank: u32, work: Work, request: RequestId) {
        self.open_request(rank, request, Operation::Work);
        let start = self.kernel.now();
        let id = self.beside.insert(Beside { rank, request, start, work, turn: 0 }) as u32;
        self.enter(rank, What::Work, id);
    }

    /// A message has come to a graph: its processor takes it when it can.
    #[inline(never)]
    pub(crate) fn graph_arrival(&mut self, id: u32) {
        let message = &mut self.messages[id];
        message.journey = Journey::AtDoor;
        let (at, turn, rank) = (self.kernel.now(), message.turn(), message.to);
        let Lane { cpu, nic, .. } = self.graphs().lane_of(id);
        let event = Event { at, turn, what: What::Arrival, id, cpu, nic, tell: false };
        let (_, free) = self.free_for(&event);
        self.wait_for_processor(rank, free.max(at), event);
    }

    /// Lets the next event happen, if its date is now. All that the one before has freed has been handed over.
    #[inline(never)]
    pub(crate) fn serve_graphs(&mut self) -> bool {
        let now = self.kernel.now();
        let graphs = self.graphs();
        match graphs.queue.peek() {
            Some(&Reverse(event)) if event.at <= now => {
                graphs.queue.pop();
                self.happen(event);
                true
            }
            Some(&Reverse(Event { at, .. })) if at < graphs.set => {
                graphs.set = at;
                self.kernel.start_timer(at.since(now), token::processor(0));
                false
            }
            _ => false,
        }
    }

    /// The date of the next event may have come.
    #[inline(never)]
    pub(crate) fn graphs_due(&mut self) {
        let now = self.kernel.now();
        let graphs = self.graphs();
        if graphs.set <= now {
            graphs.set = Time::MAX;
        }
    }

    fn happen(&mut self, event: Event) {
        match event.what {
            What::First => return self.first_may_start(event),
            What::Post => return self.graph_posts(event),
            What::Send | What::Work | What::Arrival => {}
        }
        let (rank, free) = self.free_for(&event);
        if free > self.kernel.now() {
            return self.wait_for_processor(rank, free, event);
        }
        self.start_event(event);
    }

    fn start_event(&mut self, event: Event) {
        match event.what {
            What::Send => self.graph_sends(event),
            What::Work => self.graph_works(event),
            What::Arrival => self.graph_takes(event),
            What::Post | What::First => unreachable!("needs no processor"),
        }
    }

    /// What an event needs is free at `at`, if not later.
    fn wait_for_processor(&mut self, rank: u32, at: Time, event: Event) {
        let waiting = self.graphs().processor(rank, event.cpu).waiting.get_or_insert_default();
        let Event { turn, what, id, nic, tell, .. } = event;
        waiting.queue(what, nic).push(Reverse(Waiter { turn, id, tell }));
        self.stand_first(rank, event.cpu, at, event.turn);
    }

    /// Sees to it that what waits for a processor is looked at then, if not before.
    fn stand_first(&mut self, rank: u32, cpu: u8, at: Time, turn: u64) {
        let graphs = self.graphs();
        let Some(waiting) = &mut graphs.processor(rank, cpu).waiting else { return };
        if waiting.first.is_none_or(|first| (at, turn) < first) {
            waiting.first = Some((at, turn));
            graphs.queue.push(Reverse(Event {
                at,
                turn,
                what: What::First,
                id: rank,
                cpu,
                nic: 0,
                tell: false,
            }));
        }
    }

    /// The first of those that wait for a processor starts, if it still is the first and can.
    fn first_may_start(&mut self, event: Event) {
        let Event { at, turn, id: rank, cpu, .. } = event;
        let (now, host) = (self.kernel.now(), self.hosts[rank as usize].0 as usize);
        let Graphs { processors, interfaces, .. } =
            &mut **self.graphs.as_mut().expect("only graphs come here");
        let Processor { free, waiting: Some(waiting) } = processors[rank as usize].at(cpu) else { return };
        if waiting.first != Some((at, turn)) {
            return;
        }
        waiting.first = None;
        let Some((at, turn, what, nic)) = waiting.next(now.max(*free), &mut interfaces[host]) else { return };
        if at > now || turn > event.turn {
            return self.stand_first(rank, cpu, at, turn);
        }
        if let Some(Reverse(Waiter { turn, id, tell })) = waiting.queue(what, nic).pop() {
            self.start_event(Event { at, turn, what, id, cpu, nic, tell });
        }
        self.next_stands_first(rank, cpu);
    }

    /// Whoever is next stands for those that wait for a processor.
    fn next_stands_first(&mut self, rank: u32, cpu: u8) {
        let (now, host) = (self.kernel.now(), self.hosts[rank as usize].0 as usize);
        let Graphs { processors, interfaces, .. } =
            &mut **self.graphs.as_mut().expect("only graphs come here");
        let Processor { free, waiting: Some(waiting) } = processors[rank as usize].at(cpu) else { return };
        if let Some((at, turn, ..)) = waiting.next(now.max(*free), &mut interfaces[host]) {
            self.stand_first(rank, cpu, at, turn);
        }
    }

    /// Whose event it is, and when what it needs is free.
    fn free_for(&mut self, event: &Event) -> (u32, Time) {
        let &Event { what, id, cpu, nic, .. } = event;
        let (rank, interface) = match what {
            What::Post | What::First => unreachable!("needs no processor"),
            What::Work => (self.beside[id as usize].rank, Time::ZERO),
            What::Send => {
                let rank = self.messages[id].from;
                (rank, self.interface_of(rank, nic).sends)
            }
            What::Arrival => {
                let rank = self.messages[id].to;
                (rank, self.interface_of(rank, nic).takes)
            }
        };
        (rank, self.graphs().processor(rank, cpu).free.max(interface))
    }

    /// A processor is busy from now on; gives until when.
    fn keep_busy(&mut self, rank: u32, cpu: u8, span: Duration) -> Time {
        let end = self.kernel.now() + span;
        self.graphs().processor(rank, cpu).free = end;
        end
    }

    fn graph_sends(&mut self, event: Event) {
        let Event { id, cpu, nic, tell, .. } = event;
        let &Message { from: rank, bytes, owner, sender_waits, .. } = &self.messages[id];
        let (busy, gap) = (self.costs().sending(bytes), self.costs().gap(bytes));
        let end = self.keep_busy(rank, cpu, busy);
        self.interface_of(rank, nic).sends = self.kernel.now() + gap;
        if tell || !sender_waits {
            self.graphs().ends_at(rank, end);
        }
        if tell {
            self.tell_start(owner);
        }
        self.begin_send(id);
    }

    fn graph_posts(&mut self, event: Event) {
        let Event { id, cpu, tell, .. } = event;
        let now = self.kernel.now();
        let &Receive { rank, key, owner, .. } = &self.receives[id];
        if tell {
            let graphs = self.graphs();
            let end = graphs.processor(rank, cpu).free.max(now);
            graphs.ends_at(rank, end);
            self.tell_start(owner);
        }
        self.post(rank, key, id);
    }

    fn graph_works(&mut self, event: Event) {
        let Event { id, cpu, tell, .. } = event;
        let now = self.kernel.now();
        let Beside { rank, request, work, .. } = self.beside[id as usize];
        let seconds = match work {
            Work::Nanos(_) | Work::Threads(_) if matches!(self.bursts, Bursts::None) => 0.0,
            _ => self.seconds_of(rank, work),
        };
        let span = Duration::from_secs_f64(seconds);
        self.ranks[rank as usize].requests[request.index()].ideal += span;
        let end = self.keep_busy(rank, cpu, span);
        self.graphs().ends_at(rank, end);
        if span.is_zero() {
            self.beside.remove(id as usize);
        } else {
            self.beside[id as usize].start = now;
            self.kernel.start_timer(span, token::beside(id));
        }
        if tell {
            self.tell_start(Owner::Request { rank, id: request });
        }
        self.request_done(rank, request, Completion::empty(0), Time::ZERO);
    }

    /// What was computed beside a graph, which was told so when it started, is over.
    #[inline(never)]
    pub(crate) fn graph_worked(&mut self, id: u32) {
        let Beside { rank, start, work, .. } = self.beside.remove(id as usize);
        self.recorder.record(&Record::Burst { rank, start, end: self.kernel.now(), work, beside: true });
    }

    /// A processor takes a message: it is visible from here on.
    fn graph_takes(&mut self, event: Event) {
        let Event { id, cpu, nic, .. } = event;
        let message = &mut self.messages[id];
        message.journey = Journey::Receiving;
        let (rank, bytes) = (message.to, message.bytes);
        let (busy, gap) = (self.costs().receiving(bytes), self.costs().gap(bytes));
        self.keep_busy(rank, cpu, busy);
        self.interface_of(rank, nic).takes = self.kernel.now() + gap;
        self.kernel.start_timer(busy, token::transfer(id));
        self.make_visible(id);
    }

    /// A message and a receive have found each other: both are complete when the processor has taken the message. A sender
    /// that waited for this is told too. Lower ranks are told first.
    #[inline(never)]
    pub(crate) fn graph_matched(&mut self, id: u32) {
        let now = self.kernel.now();
        let message = &mut self.messages[id];
        let (from, to, receive, owner) = (message.from, message.to, message.receive, message.owner);
        let waited = std::mem::replace(&mut message.sender_waits, false);
        let (completion, ideal) = (message.completion(), message.ideal);
        let receiver = std::mem::replace(&mut self.receives[receive].owner, Owner::Nobody);
        let Lane { cpu, nic, .. } = self.graphs().lane_of(id);
        let taken = self.graphs().processor(to, cpu).free;
        self.graphs().ends_at(to, taken.max(now));
        if waited {
            let processor = self.graphs().processor(from, cpu);
            processor.free = now.max(processor.free);
            let end = processor.free;
            self.graphs().ends_at(from, end);
            let interface = self.interface_of(from, nic);
            interface.sends = now.max(interface.sends);
        }
        let lanes = &mut self.graphs().lanes;
        if !lanes.is_empty() {
            lanes.remove(&id);
        }
        if waited && from <= to {
            self.complete(owner, Completion::empty(0), Time::ZERO);
        }
        self.complete(receiver, completion, ideal);
        if waited && from > to {
            self.complete(owner, Completion::empty(0), Time::ZERO);
        }
    }

    /// Tells a rank with its next harvest that something has started.
    fn tell_start(&mut self, owner: Owner) {
        if let Owner::Request { rank, id } = owner {
            self.note_started(rank, id);
        }
    }

    /// When what a graph has been told of with this harvest ends.
    pub(crate) fn end_of_told(&mut self, rank: u32) -> Option<Time> {
        let graphs = self.graphs.as_mut()?;
        Some(std::mem::replace(&mut graphs.ends[rank as usize], Time::ZERO))
    }

    /// A graph has nothing left to do. True if its processors have, and it ends with them.
    pub(crate) fn graph_is_busy(&mut self, rank: u32) -> bool {
        let Some(graphs) = &self.graphs else { return false };
        let Lanes { first, others } = &graphs.processors[rank as usize];
        let last = others.iter().fold(first.free, |latest, other| latest.max(other.free));
        let busy = last.since(self.kernel.now());
        if !busy.is_zero() {
            self.ranks[rank as usize].phase = Phase::Ending;
            self.kernel.start_timer(busy, token::rank(rank));
        }
        !busy.is_zero()
    }
}
