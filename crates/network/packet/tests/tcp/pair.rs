//! Two ends of a connection, the wires between them, and the time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use mpirage_packet::{Endpoint, Lane, Permission, Role, Segment, Tcp, TcpHeader, TcpSettings};
use mpirage_units::{Duration, Time};

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The active end.
    Left,
    /// The passive end.
    Right,
}

impl Side {
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// The fate of a segment on a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Arrive,
    Lost,
    /// It arrives, with a mark if it can carry one.
    Marked,
    /// It arrives later than usual.
    Late(Duration),
    /// It arrives twice.
    Twice,
}

/// Decides what happens to a segment, given its number on the wire.
pub type Decide = Box<dyn FnMut(u64, &Segment<TcpHeader>) -> Fate>;
/// Sees a segment leave an end.
pub type Observe = Box<dyn FnMut(Time, Side, &Segment<TcpHeader>, &Tcp)>;

/// A wire in one direction: a queue, a rate, a delay.
pub struct Wire {
    /// Bytes per second; infinite for none.
    pub rate: f64,
    pub delay: Duration,
    /// Bytes that wait at most; more are dropped.
    pub queue: u64,
    /// Decides for each segment, in the order of sending.
    pub fate: Decide,
    free_at: Time,
    count: u64,
    /// Segments that did not fit into the queue.
    pub dropped: u64,
}

impl Wire {
    pub fn new(rate: f64, delay: Duration) -> Wire {
        Wire {
            rate,
            delay,
            queue: u64::MAX,
            fate: Box::new(|_, _| Fate::Arrive),
            free_at: Time::ZERO,
            count: 0,
            dropped: 0,
        }
    }

    /// Nothing leaves the queue before `until`.
    pub fn stall(&mut self, until: Time) {
        self.free_at = self.free_at.max(until);
    }

    /// When the segment arrives, how often and with which mark.
    fn carry(&mut self, now: Time, segment: &Segment<TcpHeader>) -> Option<(Time, Fate)> {
        let fate = (self.fate)(self.count, segment);
        self.count += 1;
        let start = self.free_at.max(now);
        let waiting = start.since(now).as_secs_f64() * self.rate;
        let bytes = f64::from(segment.payload + segment.header_bytes);
        if fate == Fate::Lost {
            return None;
        }
        if self.rate.is_finite() && waiting + bytes > self.queue as f64 {
            self.dropped += 1;
            return None;
        }
        self.free_at = start + Duration::from_secs_f64(bytes / self.rate);
        Some((self.free_at + self.delay, fate))
    }
}

/// A segment that is on its way.
struct Flight {
    at: Time,
    number: u64,
    to: Side,
    segment: Segment<TcpHeader>,
    marked: bool,
}

/// The application of one end.
#[derive(Default)]
pub struct Application {
    pub to_write: u64,
    pub delivered: u64,
}

/// Two ends and the wires between them.
pub struct Pair {
    pub now: Time,
    pub left: Tcp,
    pub right: Tcp,
    /// From left to right, and back.
    pub wires: [Wire; 2],
    pub applications: [Application; 2],
    /// Called for each segment that an end sends.
    pub observe: Observe,
    flights: BinaryHeap<Reverse<Flight>>,
    number: u64,
}

impl Pair {
    pub fn new(settings: &TcpSettings, wires: [Wire; 2]) -> Pair {
        Pair {
            now: Time::ZERO,
            left: Tcp::new(&Arc::new(*settings), Role::Active),
            right: Tcp::new(&Arc::new(*settings), Role::Passive),
            wires,
            applications: Default::default(),
            observe: Box::new(|_, _, _, _| {}),
            flights: BinaryHeap::new(),
            number: 0,
        }
    }

    /// Both wires have the same rate and delay.
    pub fn symmetric(settings: &TcpSettings, rate: f64, delay: Duration) -> Pair {
        Pair::new(settings, [Wire::new(rate, delay), Wire::new(rate, delay)])
    }

    pub fn end(&self, side: Side) -> &Tcp {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    pub fn end_mut(&mut self, side: Side) -> &mut Tcp {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    /// The application of an end has more to write.
    pub fn write(&mut self, side: Side, bytes: u64) {
        self.applications[side as usize].to_write += bytes;
        self.settle(side);
    }

    pub fn delivered(&self, side: Side) -> u64 {
        self.applications[side as usize].delivered
    }

    /// Lets an end write, send and deliver all that it can now.
    pub fn settle(&mut self, side: Side) {
        loop {
            self.feed(side);
            let now = self.now;
            while let Some(segment) = self.end_mut(side).transmit(now, Permission::Everything) {
                self.send(side, segment);
            }
            self.take(side);
            let application = &self.applications[side as usize];
            if application.to_write == 0 || self.end(side).room() == 0 {
                return;
            }
        }
    }

    fn feed(&mut self, side: Side) {
        let bytes = self.applications[side as usize].to_write.min(self.end(side).room());
        self.applications[side as usize].to_write -= bytes;
        let now = self.now;
        self.end_mut(side).write(now, Lane(0), bytes);
    }

    fn take(&mut self, side: Side) {
        while let Some((lane, bytes)) = self.end_mut(side).delivered() {
            assert_eq!(lane, Lane(0));
            let before = std::mem::replace(&mut self.applications[side as usize].delivered, bytes);
            assert!(bytes > before, "delivered {bytes} after {before}");
        }
    }

    fn send(&mut self, side: Side, segment: Segment<TcpHeader>) {
        let end = match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        };
        (self.observe)(self.now, side, &segment, end);
        let Some((at, fate)) = self.wires[side as usize].carry(self.now, &segment) else { return };
        let at = if let Fate::Late(by) = fate { at + by } else { at };
        self.fly(at, side.other(), segment, fate);
        if fate == Fate::Twice {
            self.fly(at, side.other(), segment, fate);
        }
    }

    fn fly(&mut self, at: Time, to: Side, segment: Segment<TcpHeader>, fate: Fate) {
        let number = self.number;
        self.number += 1;
        let marked = fate == Fate::Marked && segment.markable;
        self.flights.push(Reverse(Flight { at, number, to, segment, marked }));
    }

    /// The next instant at which something happens.
    pub fn next(&self) -> Option<Time> {
        let arrival = self.flights.peek().map(|flight| flight.0.at);
        [arrival, self.left.timeout(), self.right.timeout()].into_iter().flatten().min()
    }

    /// Does what happens next; false if nothing will.
    pub fn step(&mut self) -> bool {
        let Some(next) = self.next() else { return false };
        assert!(next >= self.now, "{next} is before {}", self.now);
        self.now = next;
        if self.flights.peek().is_some_and(|flight| flight.0.at == next) {
            let flight = self.flights.pop().expect("peeked").0;
            self.end_mut(flight.to).receive(next, &flight.segment, flight.marked);
            self.settle(flight.to);
            return true;
        }
        for side in [Side::Left, Side::Right] {
            if self.end(side).timeout() == Some(next) {
                self.end_mut(side).on_timeout(next);
                self.settle(side);
            }
        }
        true
    }

    /// Runs until `until`, or until nothing happens any more.
    pub fn run_until(&mut self, until: Time) {
        while self.next().is_some_and(|next| next <= until) {
            self.step();
        }
        self.now = until;
    }

    /// Runs until nothing happens any more; panics after `steps` steps.
    pub fn run(&mut self, steps: u64) {
        for _ in 0..steps {
            if !self.step() {
                return;
            }
        }
        panic!("no end after {steps} steps, at {}", self.now);
    }
}

impl PartialEq for Flight {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Flight {}

impl PartialOrd for Flight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Flight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// A generator of random numbers with a seed (SplitMix64, Steele, Lea and Flood, 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub fn ms(milliseconds: u64) -> Duration {
    Duration::from_picos(milliseconds * 1_000_000_000)
}

pub fn at_ms(milliseconds: u64) -> Time {
    Time::ZERO + ms(milliseconds)
}
