//! Two endpoints, and the time and the path between them.
//!
//! The path is a link of a fixed rate and delay per direction. A test decides what happens to each segment. All instants are
//! exact, so a run is the same every time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use mpirage_packet::{Endpoint, Failure, Lane, Permission, Role, Segment};
use mpirage_units::{Duration, Time};

/// The fate of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    IsLost,
    /// It arrives so much later than it would.
    IsLate(Duration),
    /// It arrives twice, the second time so much later.
    IsDoubled(Duration),
}

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    Active = 0,
    Passive = 1,
}

/// A segment on its way, as a test sees it.
pub struct Passing<'a, H> {
    pub from: End,
    /// When its first byte leaves, and when its last one would arrive.
    pub leaves: Time,
    pub arrives: Time,
    /// How many segments this end has sent before.
    pub number: u64,
    pub segment: &'a Segment<H>,
}

type Fates<H> = Box<dyn FnMut(Passing<'_, H>) -> Fate>;

pub struct Pair<E: Endpoint> {
    pub now: Time,
    ends: [E; 2],
    /// Segments on their way: when they arrive, in which order they were sent, and their place.
    arrivals: BinaryHeap<Reverse<(Time, u64, usize)>>,
    segments: Vec<(End, Segment<E::Header>)>,
    free: Vec<usize>,
    /// When the link of each end is free.
    idle_at: [Time; 2],
    sent: [u64; 2],
    order: u64,
    rate: u64,
    delay: Duration,
    fates: Fates<E::Header>,
    /// The data that the application of each end wants to write: lane and bytes, in order.
    backlog: [Vec<(Lane, u64)>; 2],
    /// Bytes that have been delivered to each end, by lane, and when the last of them were.
    delivered: HashMap<(End, Lane), (u64, Time)>,
}

impl<E: Endpoint> Pair<E> {
    /// Ends that a link of so many bytes per second connects.
    pub fn new(settings: &E::Settings, rate: u64, delay: Duration, fates: Fates<E::Header>) -> Pair<E> {
        Pair {
            now: Time::ZERO,
            ends: [E::new(settings, Role::Active), E::new(settings, Role::Passive)],
            arrivals: BinaryHeap::new(),
            segments: Vec::new(),
            free: Vec::new(),
            idle_at: [Time::ZERO; 2],
            sent: [0; 2],
            order: 0,
            rate,
            delay,
            fates,
            backlog: [Vec::new(), Vec::new()],
            delivered: HashMap::new(),
        }
    }

    /// The application writes, as soon as there is room. Every call is a message if there is room for it.
    pub fn write(&mut self, end: End, lane: Lane, bytes: u64) {
        self.backlog[end as usize].insert(0, (lane, bytes));
        self.serve(end);
    }

    pub fn delivered(&self, end: End, lane: Lane) -> u64 {
        self.delivered.get(&(end, lane)).map_or(0, |(bytes, _)| *bytes)
    }

    /// When the last bytes of a lane were delivered.
    pub fn delivered_at(&self, end: End, lane: Lane) -> Time {
        self.delivered[&(end, lane)].1
    }

    pub fn end(&self, end: End) -> &E {
        &self.ends[end as usize]
    }

    pub fn failure(&self, end: End) -> Option<Failure> {
        self.ends[end as usize].failure()
    }

    /// The segments that an end has sent.
    pub fn sent(&self, end: End) -> u64 {
        self.sent[end as usize]
    }

    /// Lets time pass until nothing more happens, or up to `limit`.
    pub fn run(&mut self, limit: Time) {
        while let Some(next) = self.next().filter(|next| *next <= limit) {
            assert!(next >= self.now, "time runs backwards");
            self.now = next;
            self.deliver_segments();
            for end in [End::Active, End::Passive] {
                let timeout = self.ends[end as usize].timeout();
                if timeout.is_some_and(|timeout| timeout <= self.now) {
                    self.ends[end as usize].on_timeout(self.now);
                }
                self.serve(end);
            }
        }
    }

    /// Lets time pass up to `instant`, which is later.
    pub fn run_to(&mut self, instant: Time) {
        self.run(instant);
        self.now = instant;
    }

    fn next(&self) -> Option<Time> {
        let arrival = self.arrivals.peek().map(|Reverse((at, _, _))| *at);
        // A link that becomes idle asks its end for more.
        let links = [End::Active, End::Passive]
            .map(|end| Some(self.idle_at[end as usize]).filter(|at| *at > self.now));
        let timeouts = [self.ends[0].timeout(), self.ends[1].timeout()];
        [arrival].into_iter().chain(links).chain(timeouts).flatten().min()
    }

    fn deliver_segments(&mut self) {
        while let Some(&Reverse((at, _, place))) = self.arrivals.peek()
            && at <= self.now
        {
            self.arrivals.pop();
            self.free.push(place);
            let (to, segment) = self.segments[place];
            self.ends[to as usize].receive(self.now, &segment, false);
            while let Some((lane, bytes)) = self.ends[to as usize].delivered() {
                let before = self.delivered.insert((to, lane), (bytes, self.now));
                assert!(before.is_none_or(|(before, _)| before < bytes), "bytes are delivered once");
            }
        }
    }

    /// The application writes what there is room for, and the link takes one segment after the other.
    fn serve(&mut self, end: End) {
        self.write_backlog(end);
        while self.idle_at[end as usize] <= self.now {
            let Some(segment) = self.ends[end as usize].transmit(self.now, Permission::Everything) else {
                break;
            };
            self.send(end, segment);
            self.write_backlog(end);
        }
    }

    fn write_backlog(&mut self, end: End) {
        while let Some((lane, bytes)) = self.backlog[end as usize].pop() {
            let part = bytes.min(self.ends[end as usize].room());
            if part > 0 {
                self.ends[end as usize].write(self.now, lane, part);
            }
            if part < bytes {
                self.backlog[end as usize].push((lane, bytes - part));
                return;
            }
        }
    }

    fn send(&mut self, from: End, segment: Segment<E::Header>) {
        let bytes = u64::from(segment.payload + segment.header_bytes + 24);
        let picos = u128::from(bytes) * 1_000_000_000_000 / u128::from(self.rate);
        self.idle_at[from as usize] = self.now + Duration::from_picos(picos as u64);
        let arrives = self.idle_at[from as usize] + self.delay;
        let number = self.sent[from as usize];
        self.sent[from as usize] += 1;
        match (self.fates)(Passing { from, leaves: self.now, arrives, number, segment: &segment }) {
            Fate::Arrives => self.pass(from, arrives, segment),
            Fate::IsLost => {}
            Fate::IsLate(span) => self.pass(from, arrives + span, segment),
            Fate::IsDoubled(span) => {
                self.pass(from, arrives, segment);
                self.pass(from, arrives + span, segment);
            }
        }
    }

    fn pass(&mut self, from: End, at: Time, segment: Segment<E::Header>) {
        let to = if from == End::Active { End::Passive } else { End::Active };
        let place = self.free.pop().unwrap_or(self.segments.len());
        if place == self.segments.len() {
            self.segments.push((to, segment));
        } else {
            self.segments[place] = (to, segment);
        }
        self.arrivals.push(Reverse((at, self.order, place)));
        self.order += 1;
    }
}
