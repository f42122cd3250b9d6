//! A link and the queue in front of it.
//!
//! Frames leave in the order in which they come, so the instant at which a frame leaves is known when it comes, and so is
//! the number of bytes that wait at any instant: the link's rate times the time until it is free. A frame therefore costs
//! one event per link, its arrival at the other side.

use std::collections::VecDeque;

use mpirage_platform::Sharing;
use mpirage_units::{Duration, Random, Time};

use crate::event_queue::EventNumber;
use crate::faults::LinkFaults;
use crate::ids::{EndId, FrameId};
use crate::parameters::{LinkParameters, QueueLimit, QueueParameters, Red};

/// The decision about a frame that arrives at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// There is no room for it.
    Dropped,
    /// It waits for the frames before it, and then leaves.
    Queued(Passage),
}

/// When a frame crosses a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Its first byte leaves.
    pub starts: Time,
    /// Its last byte has left.
    pub ends: Time,
    /// Is it marked?
    pub marked: bool,
}

/// The counters of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// Frames that it carried.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames for which there was no room.
    pub dropped: u64,
    /// Frames that it marked.
    pub marked: u64,
    /// Frames that the link lost.
    pub lost: u64,
    /// The most bytes that waited.
    pub most_waiting: u64,
    /// How often the other side told it to pause.
    pub pauses: u64,
    /// How long frames waited at the idle link because the other side had no room for them.
    pub blocked: Duration,
}

/// One direction of a link with its queue.
#[derive(Debug)]
pub(crate) struct Port {
    picos_per_byte: f64,
    latency: Duration,
    shared: bool,
    /// The most that waits in its queue, at a switch.
    limit: QueueLimit,
    free_at: Time,
    counts: PortCounts,
    /// Kept only for queues that need it.
    discipline: Option<Box<Discipline>>,
    /// Frames that will arrive at the other side, in order. The first one is an event.
    arriving: VecDeque<(Time, FrameId)>,
    /// Frames that a host's interface will take out of the host's queue, in order. The first one is an event.
    taken: VecDeque<Taking>,
    /// The scheduled faults of the link.
    faults: Option<Box<LinkFaults>>,
}

/// A host's interface takes a frame out of the host's queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taking {
    pub at: Time,
    /// The place among events of that instant.
    pub number: EventNumber,
    /// The socket of the frame.
    pub sender: EndId,
}

/// When something that happens in order at a port becomes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Now: it is the first.
    First,
    /// After the previous one has happened.
    Waits,
    /// Now: it happens before one that was there already, so it is not in the port's list.
    Overtakes,
}

/// State of queues that need more than the instant at which the link is free.
#[derive(Debug, Default)]
struct Discipline {
    /// When each waiting frame begins to leave, for limits in frames.
    starts: VecDeque<Time>,
    /// The average of random early detection, and when it was last updated.
    average: f64,
    /// Frames since the last one that random early detection dropped.
    since_drop: u32,
}

/// The properties of a frame that arrives at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub now: Time,
    /// Bytes on the wire.
    pub bytes: u32,
    /// When its last byte is here.
    pub tail: Time,
    pub markable: bool,
}

impl Port {
    /// A free link. One whose sharing is not [`Sharing::Shared`] carries any number of frames at the same time.
    pub(crate) fn new(
        (bandwidth, latency): (f64, f64),
        sharing: Sharing,
        limit: QueueLimit,
        faults: Option<Box<LinkFaults>>,
    ) -> Port {
        Port {
            picos_per_byte: 1e12 / bandwidth,
            latency: Duration::from_secs_f64(latency),
            shared: sharing == Sharing::Shared,
            limit,
            free_at: Time::ZERO,
            counts: PortCounts::default(),
            discipline: None,
            arriving: VecDeque::new(),
            taken: VecDeque::new(),
            faults,
        }
    }

    /// A frame will arrive at the other side at `at`. True if that is an event: the arrival of a frame behind another one
    /// becomes an event when the other has arrived, so that few events wait.
    pub(crate) fn will_arrive(&mut self, at: Time, frame: FrameId) -> bool {
        let overtakes = self.arriving.back().is_some_and(|(last, _)| at < *last);
        let alone = self.arriving.is_empty();
        if !overtakes {
            self.arriving.push_back((at, frame));
        }
        alone || overtakes
    }

    /// A frame has arrived at the other side. Gives the next arrival, if that is an event from now on.
    pub(crate) fn has_arrived(&mut self, frame: FrameId) -> Option<(Time, FrameId)> {
        if self.arriving.front().is_none_or(|(_, first)| *first != frame) {
            return None;
        }
        self.arriving.pop_front();
        self.arriving.front().copied()
    }

    /// The second and the third of the frames that will arrive at the other side.
    pub(crate) fn arriving_later(&self) -> [Option<FrameId>; 2] {
        [1, 2].map(|place| self.arriving.get(place).map(|(_, frame)| *frame))
    }

    /// The interface will take a frame out of the host's queue.
    pub(crate) fn will_be_taken(&mut self, taking: Taking) -> Turn {
        let turn = match self.taken.back() {
            None => Turn::First,
            Some(last) if taking.at < last.at => return Turn::Overtakes,
            Some(_) => Turn::Waits,
        };
        self.taken.push_back(taking);
        turn
    }

    /// The interface has taken the first frame of the list. Gives the next one, which is an event from now on, and the one
    /// after it.
    pub(crate) fn was_taken(&mut self) -> [Option<Taking>; 2] {
        self.taken.pop_front();
        [0, 1].map(|place| self.taken.get(place).copied())
    }

    /// Does a fault lose a frame that is on the link during its passage?
    pub(crate) fn fails(&self, passage: &Passage, random: &mut Random) -> bool {
        let Some(faults) = &self.faults else { return false };
        faults.lose((passage.starts, passage.ends + self.latency), random)
    }

    /// How long a byte's signal travels.
    pub(crate) fn latency(&self) -> Duration {
        self.latency
    }

    pub(crate) fn counts(&self) -> &PortCounts {
        &self.counts
    }

    /// The link has lost a frame.
    pub(crate) fn count_lost(&mut self) {
        self.counts.lost += 1;
    }

    /// How long the link carries so many bytes.
    pub(crate) fn span(&self, bytes: u32) -> Duration {
        Duration::from_picos((f64::from(bytes) * self.picos_per_byte + 0.5) as u64)
    }

    /// When all that has come so far has left.
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Bytes that wait or are leaving.
    pub(crate) fn waiting(&self, now: Time) -> u64 {
        (self.free_at.since(now).as_picos() as f64 / self.picos_per_byte) as u64
    }

    /// A frame comes to a host's own interface, which takes all that sockets are allowed to hand over.
    pub(crate) fn take(&mut self, frame: Arriving, links: &LinkParameters) -> Passage {
        let starts = if self.shared { self.free_at.max(frame.now) } else { frame.now };
        let mut span = self.span(frame.bytes + links.frame_overhead);
        if let Some(faults) = &self.faults {
            span = Duration::from_secs_f64(span.as_secs_f64() / faults.rate(starts));
        }
        let ends = (starts + span).max(frame.tail);
        self.free_at = ends;
        self.counts.frames += 1;
        self.counts.bytes += u64::from(frame.bytes);
        self.counts.most_waiting = self.counts.most_waiting.max(self.waiting(frame.now));
        Passage { starts, ends, marked: false }
    }

    /// A frame comes to the port of a switch.
    pub(crate) fn admit(
        &mut self,
        frame: Arriving,
        links: &LinkParameters,
        queue: &QueueParameters,
        random: &mut Random,
    ) -> Admission {
        let waiting = if self.shared { self.waiting(frame.now) } else { 0 };
        if self.is_full(frame, waiting) || self.drops_early(queue, frame, waiting, random) {
            self.counts.dropped += 1;
            return Admission::Dropped;
        }
        let marked = frame.markable && queue.mark_above.is_some_and(|threshold| waiting > threshold);
        self.counts.marked += u64::from(marked);
        let passage = self.take(frame, links);
        if let (QueueLimit::Frames(_), Some(discipline)) = (self.limit, &mut self.discipline) {
            discipline.starts.push_back(passage.starts);
        }
        Admission::Queued(Passage { marked, ..passage })
    }

    fn is_full(&mut self, frame: Arriving, waiting: u64) -> bool {
        match self.limit {
            QueueLimit::Bytes(limit) => waiting > 0 && waiting + u64::from(frame.bytes) > limit,
            QueueLimit::Frames(limit) => {
                let starts = &mut self.discipline.get_or_insert_default().starts;
                while starts.front().is_some_and(|start| *start <= frame.now) {
                    starts.pop_front();
                }
                starts.len() >= limit as usize && waiting > 0
            }
        }
    }

    fn drops_early(
        &mut self,
        queue: &QueueParameters,
        frame: Arriving,
        waiting: u64,
        random: &mut Random,
    ) -> bool {
        let Some(red) = queue.red else { return false };
        let idle = frame.now.since(self.free_at).as_picos() as f64 / (1500.0 * self.picos_per_byte);
        let state = self.discipline.get_or_insert_default();
        let dropped = state.detect(&red, waiting as f64, idle, random);
        state.since_drop = if dropped { 0 } else { state.since_drop + 1 };
        dropped
    }
}

impl Discipline {
    /// Does random early detection drop a frame? `idle` is the number of frames that could have left since the queue was
    /// empty.
    fn detect(&mut self, red: &Red, waiting: f64, idle: f64, random: &mut Random) -> bool {
        if waiting == 0.0 {
            self.average *= (1.0 - red.weight).powf(idle);
        }
        self.average += red.weight * (waiting - self.average);
        if self.average < red.low {
            return false;
        }
        if self.average >= red.high {
            return true;
        }
        let base = red.probability * (self.average - red.low) / (red.high - red.low);
        let spread = 1.0 - f64::from(self.since_drop) * base;
        random.chance(if spread > base { base / spread } else { 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use mpirage_units::Consumer;

    use super::*;
    use crate::event_queue::EventQueue;
    use crate::parameters::PacketParameters;

    fn queue(limit: QueueLimit) -> QueueParameters {
        QueueParameters { limit, ..PacketParameters::default().switch_queue }
    }

    fn frame(now: u64) -> Arriving {
        let now = Time::from_picos(now);
        Arriving { now, bytes: 1000, tail: now, markable: true }
    }

    /// One byte per nanosecond: a frame takes a microsecond.
    fn port() -> Port {
        Port::new((1e9, 0.0), Sharing::Shared, QueueLimit::Bytes(1 << 20), None)
    }

    fn admitted(port: &mut Port, queue: &QueueParameters, now: u64) -> Option<u64> {
        port.limit = queue.limit;
        match port.admit(
            frame(now),
            &PacketParameters::default().links,
            queue,
            &mut Random::new(0, Consumer(0)),
        ) {
            Admission::Queued(passage) => Some(passage.ends.as_picos()),
            Admission::Dropped => None,
        }
    }

    #[test]
    fn frames_leave_one_after_the_other() {
        let (mut port, queue) = (port(), queue(QueueLimit::Bytes(1 << 20)));
        assert_eq!(admitted(&mut port, &queue, 0), Some(1_000_000));
        assert_eq!(admitted(&mut port, &queue, 500_000), Some(2_000_000));
        assert_eq!(admitted(&mut port, &queue, 5_000_000), Some(6_000_000));
        assert_eq!((port.counts().frames, port.counts().most_waiting), (3, 1500));
    }

    #[test]
    fn frames_are_taken_one_after_the_other_unless_they_overtake() {
        let (mut port, mut events) = (port(), EventQueue::default());
        let mut taking = |at, sender| {
            let (at, sender) = (Time::from_picos(at), EndId::new(sender));
            Taking { at, number: events.number(), sender }
        };
        let turns =
            [taking(10, 0), taking(10, 1), taking(5, 2), taking(30, 3)].map(|t| port.will_be_taken(t));
        assert_eq!(turns, [Turn::First, Turn::Waits, Turn::Overtakes, Turn::Waits]);
        let mut next = || port.was_taken().map(|taking| taking.map(|taking| taking.sender.index()));
        assert_eq!([next(), next(), next()], [[Some(1), Some(3)], [Some(3), None], [None, None]]);
    }

    #[test]
    fn a_full_queue_drops_by_bytes_and_by_frames() {
        for (limit, kept) in [(QueueLimit::Bytes(2500), 2), (QueueLimit::Frames(2), 3)] {
            let (mut port, queue) = (port(), queue(limit));
            let ends = (0..5).filter_map(|_| admitted(&mut port, &queue, 0)).count();
            assert_eq!((ends, port.counts().dropped), (kept, 5 - kept as u64), "{limit:?}");
            assert!(admitted(&mut port, &queue, 1_500_000).is_some(), "one has left");
        }
    }

    #[test]
    fn a_frame_that_cuts_through_cannot_overtake_its_own_tail() {
        let (mut port, queue) = (port(), queue(QueueLimit::Bytes(1 << 20)));
        let late = Arriving { tail: Time::from_picos(9_000_000), ..frame(0) };
        let Admission::Queued(passage) =
            port.admit(late, &PacketParameters::default().links, &queue, &mut Random::new(0, Consumer(0)))
        else {
            panic!()
        };
        assert_eq!((passage.starts, passage.ends), (Time::ZERO, Time::from_picos(9_000_000)));
    }

    #[test]
    fn frames_are_marked_above_the_threshold() {
        let (mut port, mut queue) = (port(), queue(QueueLimit::Bytes(1 << 20)));
        queue.mark_above = Some(1500);
        for _ in 0..4 {
            admitted(&mut port, &queue, 0);
        }
        assert_eq!((port.counts().marked, port.counts().dropped), (2, 0));
    }

    #[test]
    fn early_detection_drops_before_the_queue_is_full() {
        let (mut port, mut queue) = (port(), queue(QueueLimit::Bytes(1 << 20)));
        queue.red = Some(Red { low: 5e3, high: 15e3, probability: 0.1, weight: 0.02 });
        let mut random = Random::new(3, Consumer(0));
        // Frames come 10 % faster than they leave.
        for at in 0..2000 {
            port.admit(frame(at * 900_000), &PacketParameters::default().links, &queue, &mut random);
        }
        let share = port.counts().dropped as f64 / 2000.0;
        assert!((0.08..0.14).contains(&share) && port.counts().most_waiting < 40_000, "{share}");
    }
}
