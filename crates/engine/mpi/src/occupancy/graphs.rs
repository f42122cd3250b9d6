//! Processors of ranks that are graphs: events in LogGOPSim's order.
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
//! So a graph learns that something is complete when it starts, with the date of its end, and hands over what that frees
//! before the next event. Turns are given in order of events, ranks, kinds (sends, receives, computations), and freeing: that
//! order decides who is first where dates are equal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use mpirage_call::RankId;
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use super::costs::Interface;
use crate::due::Due;
use crate::ids::{MessageId, ReceiveId, WorkId};
use crate::protocol::ProcessorCosts;
use crate::wire::Wire;

/// The processors and interfaces of graphs, and what waits for them.
#[derive(Debug)]
pub(crate) struct Graphs {
    costs: ProcessorCosts,
    hosts: Arc<[HostId]>,
    /// Those of each rank, from the first up to the last it has used.
    processors: Vec<Several<Processor>>,
    /// Those of each host.
    interfaces: Vec<Several<Interface>>,
    /// When what each rank has just learned of ends.
    ends: Vec<Time>,
    queue: BinaryHeap<Reverse<GraphEvent>>,
    turns: u64,
    /// For when a timer is set.
    wake: Time,
    /// Where the next operation runs.
    unit: ExecutionUnit,
    /// Execution units of messages that are on their way and not in the first.
    units: HashMap<MessageId, ExecutionUnit>,
}

/// A processor of a rank.
#[derive(Debug, Default)]
struct Processor {
    /// When it is free.
    free: Time,
    waiting: Option<Box<Waiting>>,
}

/// Events that found their processor or interface busy. Each queue is in order of turns.
#[derive(Debug, Default)]
struct Waiting {
    works: Queue,
    /// By interface.
    sends: Vec<Queue>,
    arrivals: Vec<Queue>,
    /// The entry that represents all of them in the event queue.
    first: Option<(Time, u64)>,
}

type Queue = BinaryHeap<Reverse<GraphEvent>>;

/// Where an operation runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ExecutionUnit {
    pub cpu: u8,
    pub nic: u8,
    /// Does the rank want to know when it has started?
    pub tell: bool,
    /// It starts so much later than the date of the last reply.
    pub after: Duration,
}

/// One of a kind, or several.
#[derive(Debug, Default)]
struct Several<T> {
    first: T,
    others: Vec<T>,
}

impl<T: Default> Several<T> {
    fn at(&mut self, number: u8) -> &mut T {
        let Some(other) = usize::from(number).checked_sub(1) else { return &mut self.first };
        if self.others.len() <= other {
            self.others.resize_with(other + 1, T::default);
        }
        &mut self.others[other]
    }
}

/// Something whose date is to come. The order of the fields is the order of events; no two have the same turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GraphEvent {
    at: Time,
    turn: u64,
    pub rank: RankId,
    pub item: GraphItem,
    pub cpu: u8,
    pub nic: u8,
    pub tell: bool,
}

/// The kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GraphItem {
    /// A message leaves.
    Send(MessageId),
    /// A receive is posted.
    Post(ReceiveId),
    /// A computation starts.
    Work(WorkId),
    /// A processor takes a message.
    Arrival(MessageId),
    /// Represents all events that wait for a processor.
    First,
}

/// The result of a look at the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Served {
    /// No event is due.
    Nothing,
    /// An event was put off.
    PutOff,
    /// Something starts; then [`Graphs::next_stands_first`] if it had waited for its processor.
    Start { event: GraphEvent, waited: bool },
}

impl Waiting {
    /// The queue of those that wait for the same.
    fn queue(&mut self, item: GraphItem, nic: u8) -> &mut Queue {
        let queues = match item {
            GraphItem::Send(_) => &mut self.sends,
            GraphItem::Arrival(_) => &mut self.arrivals,
            GraphItem::Work(_) | GraphItem::Post(_) | GraphItem::First => return &mut self.works,
        };
        let nic = usize::from(nic);
        if queues.len() <= nic {
            queues.resize_with(nic + 1, Queue::new);
        }
        &mut queues[nic]
    }

    /// The next event, and when it can start: of those that can start earliest the one whose turn it is.
    fn next(&self, free: Time, interfaces: &mut Several<Interface>) -> Option<(Time, GraphEvent)> {
        let front = |queue: &Queue, at: Time| queue.peek().map(|first| (at, first.0));
        let mut next = front(&self.works, free);
        let mut consider = |other: Option<(Time, GraphEvent)>| {
            if let Some(other) = other {
                let earlier = next.is_none_or(|next| (other.0, other.1.turn) < (next.0, next.1.turn));
                next = if earlier { Some(other) } else { next };
            }
        };
        for (nic, queue) in (0u8..).zip(&self.sends) {
            consider(front(queue, interfaces.at(nic).sends.max(free)));
        }
        for (nic, queue) in (0u8..).zip(&self.arrivals) {
            consider(front(queue, interfaces.at(nic).takes.max(free)));
        }
        next
    }
}

impl Graphs {
    pub(super) fn new(costs: ProcessorCosts, hosts: Arc<[HostId]>) -> Graphs {
        let count = hosts.iter().map(|host| host.0 as usize + 1).max().unwrap_or(0);
        Graphs {
            costs,
            processors: (0..hosts.len()).map(|_| Several::default()).collect(),
            interfaces: (0..count).map(|_| Several::default()).collect(),
            ends: vec![Time::ZERO; hosts.len()],
            hosts,
            queue: BinaryHeap::new(),
            turns: 0,
            wake: Time::MAX,
            unit: ExecutionUnit::default(),
            units: HashMap::new(),
        }
    }

    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Where the next operation of a rank runs, and from when on.
    pub(crate) fn choose_unit(&mut self, unit: ExecutionUnit) {
        self.unit = unit;
    }

    /// A rank whose last reply was of date `told` hands over what is free: its date is that of its processor and, if it sends,
    /// of its interface. Gives the date from which on it is free.
    pub(crate) fn hand_over(&mut self, rank: RankId, item: GraphItem, told: Time) -> Time {
        let turn = self.next_turn();
        let unit = std::mem::take(&mut self.unit);
        let ExecutionUnit { cpu, nic, tell, after } = unit;
        let sends = match item {
            GraphItem::Send(_) => self.interface(rank, nic).sends,
            _ => Time::ZERO,
        };
        let free = self.processor(rank, cpu).free.max(sends);
        let at = free.max(told + after);
        let event = GraphEvent { at, turn, rank, item, cpu, nic, tell };
        if matches!(item, GraphItem::Post(_)) || at > free {
            self.queue.push(Reverse(event));
        } else {
            self.wait_for_processor(at, event);
        }
        if let (GraphItem::Send(message), true) = (item, (cpu, nic) != (0, 0)) {
            self.units.insert(message, unit);
        }
        told + after
    }

    /// A message that was number `turn` of all that happened has come: the processor takes it when it can.
    pub(crate) fn arrival(&mut self, id: MessageId, rank: RankId, turn: u64, now: Time) {
        let ExecutionUnit { cpu, nic, .. } = self.unit_of(id);
        let event = GraphEvent { at: now, turn, rank, item: GraphItem::Arrival(id), cpu, nic, tell: false };
        let free = self.free_for(&event);
        self.wait_for_processor(free.max(now), event);
    }

    /// Takes the next event if its date is now; else sets a timer for it.
    pub(crate) fn serve(&mut self, wire: &mut Wire) -> Served {
        let now = wire.now();
        match self.queue.peek() {
            Some(&Reverse(event)) if event.at <= now => {
                self.queue.pop();
                self.happen(event, now)
            }
            Some(&Reverse(GraphEvent { at, .. })) if at < self.wake => {
                self.wake = at;
                wire.start_timer(at.since(now), Due::Processor(RankId::new(0)));
                Served::Nothing
            }
            _ => Served::Nothing,
        }
    }

    /// The timer has expired.
    pub(crate) fn timer_expired(&mut self, now: Time) {
        if self.wake <= now {
            self.wake = Time::MAX;
        }
    }

    /// The next of those that wait for a processor stands for all of them in the queue.
    pub(crate) fn next_stands_first(&mut self, rank: RankId, cpu: u8, now: Time) {
        let Graphs { processors, interfaces, hosts, .. } = self;
        let Processor { free, waiting: Some(waiting) } = processors[rank.index()].at(cpu) else { return };
        let interfaces = &mut interfaces[hosts[rank.index()].0 as usize];
        if let Some((at, next)) = waiting.next(now.max(*free), interfaces) {
            self.stand_first(rank, cpu, at, next.turn);
        }
    }

    /// The processor sends a message from now on; gives until when.
    pub(crate) fn occupy_for_send(&mut self, event: &GraphEvent, bytes: u64, now: Time) -> Time {
        let end = self.occupy(event, self.costs.sending(bytes), now);
        let gap = self.costs.gap(bytes);
        self.interface(event.rank, event.nic).sends = now + gap;
        end
    }

    /// The processor takes a message from now on; gives for how long.
    pub(crate) fn occupy_for_arrival(&mut self, event: &GraphEvent, bytes: u64, now: Time) -> Duration {
        let (busy, gap) = (self.costs.receiving(bytes), self.costs.gap(bytes));
        self.occupy(event, busy, now);
        self.interface(event.rank, event.nic).takes = now + gap;
        busy
    }

    /// The processor of an event is busy from now on; gives until when.
    pub(crate) fn occupy(&mut self, event: &GraphEvent, span: Duration, now: Time) -> Time {
        let end = now + span;
        self.processor(event.rank, event.cpu).free = end;
        end
    }

    /// When the processor of an event is free, if not now.
    pub(crate) fn free_at(&mut self, event: &GraphEvent, now: Time) -> Time {
        self.processor(event.rank, event.cpu).free.max(now)
    }

    /// The operation that a rank learns of next ends at `end` or later.
    pub(crate) fn ends_at(&mut self, rank: RankId, end: Time) {
        let latest = &mut self.ends[rank.index()];
        *latest = end.max(*latest);
    }

    /// When the operation that a rank has learned of ends.
    pub(crate) fn take_end(&mut self, rank: RankId) -> Time {
        std::mem::replace(&mut self.ends[rank.index()], Time::ZERO)
    }

    /// How long the processors of a rank are still busy.
    pub(crate) fn busy(&self, rank: RankId, now: Time) -> Duration {
        let Several { first, others } = &self.processors[rank.index()];
        others.iter().fold(first.free, |latest, other| latest.max(other.free)).since(now)
    }

    /// A message and a receive have matched: both are complete when the processor has taken the message, the send too if its
    /// rank `waited`.
    pub(super) fn matched(&mut self, id: MessageId, (from, to): (RankId, RankId), waited: bool, now: Time) {
        let ExecutionUnit { cpu, nic, .. } = self.unit_of(id);
        let taken = self.processor(to, cpu).free;
        self.ends_at(to, taken.max(now));
        if waited {
            let processor = self.processor(from, cpu);
            processor.free = now.max(processor.free);
            let end = processor.free;
            self.ends_at(from, end);
            let interface = self.interface(from, nic);
            interface.sends = now.max(interface.sends);
        }
        if !self.units.is_empty() {
            self.units.remove(&id);
        }
    }

    fn happen(&mut self, event: GraphEvent, now: Time) -> Served {
        match event.item {
            GraphItem::First => return self.first_may_start(event, now),
            GraphItem::Post(_) => return Served::Start { event, waited: false },
            GraphItem::Send(_) | GraphItem::Work(_) | GraphItem::Arrival(_) => {}
        }
        let free = self.free_for(&event);
        if free > now {
            self.wait_for_processor(free, event);
            return Served::PutOff;
        }
        Served::Start { event, waited: false }
    }

    /// The first of those that wait for a processor starts, if it still is the first and can.
    fn first_may_start(&mut self, event: GraphEvent, now: Time) -> Served {
        let GraphEvent { at, turn, rank, cpu, .. } = event;
        let Graphs { processors, interfaces, hosts, .. } = self;
        let Processor { free, waiting: Some(waiting) } = processors[rank.index()].at(cpu) else {
            return Served::PutOff;
        };
        if waiting.first != Some((at, turn)) {
            return Served::PutOff;
        }
        waiting.first = None;
        let interfaces = &mut interfaces[hosts[rank.index()].0 as usize];
        let Some((at, next)) = waiting.next(now.max(*free), interfaces) else { return Served::PutOff };
        if at > now || next.turn > turn {
            self.stand_first(rank, cpu, at, next.turn);
            return Served::PutOff;
        }
        waiting.queue(next.item, next.nic).pop();
        Served::Start { event: next, waited: true }
    }

    /// Queues an event whose processor and interface are free at `at` or later.
    fn wait_for_processor(&mut self, at: Time, event: GraphEvent) {
        let GraphEvent { rank, cpu, turn, item, nic, .. } = event;
        let waiting = self.processor(rank, cpu).waiting.get_or_insert_default();
        // Within a queue only turns count.
        waiting.queue(item, nic).push(Reverse(GraphEvent { at: Time::ZERO, ..event }));
        self.stand_first(rank, cpu, at, turn);
    }

    /// The events that wait for a processor are looked at at date `at`, or earlier.
    fn stand_first(&mut self, rank: RankId, cpu: u8, at: Time, turn: u64) {
        let Some(waiting) = &mut self.processor(rank, cpu).waiting else { return };
        if waiting.first.is_none_or(|first| (at, turn) < first) {
            waiting.first = Some((at, turn));
            let event = GraphEvent { at, turn, rank, item: GraphItem::First, cpu, nic: 0, tell: false };
            self.queue.push(Reverse(event));
        }
    }

    /// When the processor and the interface of an event are free.
    fn free_for(&mut self, event: &GraphEvent) -> Time {
        let &GraphEvent { rank, item, cpu, nic, .. } = event;
        let interface = match item {
            GraphItem::Send(_) => self.interface(rank, nic).sends,
            GraphItem::Arrival(_) => self.interface(rank, nic).takes,
            GraphItem::Work(_) | GraphItem::Post(_) | GraphItem::First => Time::ZERO,
        };
        self.processor(rank, cpu).free.max(interface)
    }

    fn unit_of(&self, message: MessageId) -> ExecutionUnit {
        if self.units.is_empty() {
            ExecutionUnit::default()
        } else {
            self.units.get(&message).copied().unwrap_or_default()
        }
    }

    fn processor(&mut self, rank: RankId, cpu: u8) -> &mut Processor {
        self.processors[rank.index()].at(cpu)
    }

    fn interface(&mut self, rank: RankId, nic: u8) -> &mut Interface {
        self.interfaces[self.hosts[rank.index()].0 as usize].at(nic)
    }
}
