//! The links of a network as short messages see them: first come, first served.
//!
//! A short message crosses its route link by link. On each it waits until those before it have left; where long messages use the
//! link as flows, it also waits for what they have put into the queue before it. So a short message costs a few dates instead of
//! a solution of the whole network. Flows are not solved anew for each short message: each link counts the bytes that short messages have
//! taken of each of its flows, and a flow carries what its links have counted since it began as further bytes before it ends.

use std::sync::Arc;

use mpirage_platform::{LinkId, Platform, Sharing};
use mpirage_units::{Duration, Time};
use smallvec::SmallVec;

use super::physics::{Backlog, Framing};

/// The state of every link.
pub(super) struct Wires {
    platform: Arc<Platform>,
    /// The wire of each link, 0 for links that have not been used: zeros, which cost nothing until then.
    numbers: Vec<u32>,
    /// Wires of used links. The first is that of all others.
    wires: Vec<Wire>,
    /// By the number of a flow: the links of its route.
    counted: Vec<SmallVec<[Counted; 4]>>,
    contention: bool,
}

#[derive(Clone, Copy)]
struct Wire {
    /// When the bursts so far have left.
    free: Time,
    /// Bytes per second.
    bandwidth: f64,
    latency: Duration,
    /// Long messages that use it.
    flows: u32,
    /// When all bytes of long messages have left, if no other link slows them down.
    drained: Time,
    /// Bytes that short messages have taken of each flow so far.
    taken: f64,
    /// Bytes of the last short messages in a row that no flow owes, and when they have left.
    unowed: u64,
    unowed_until: Time,
    is_shared: bool,
}

/// A link of a flow's route.
#[derive(Clone, Copy)]
struct Counted {
    /// The number of its wire.
    wire: u32,
    /// The link's count when the flow began, or when the flow last carried its debt.
    taken: f64,
}

/// A burst on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    /// Bytes on the wire.
    pub bytes: u64,
    /// Bytes for which every switch waits before it sends on.
    pub frame: u64,
    /// When the last byte reaches the link it comes to.
    pub last: Time,
}

impl Burst {
    /// So many bytes of a stream are ready to leave.
    pub(super) fn new(framing: &Framing, bytes: u64, now: Time) -> Burst {
        Burst { bytes: framing.wire_bytes(bytes), frame: framing.first_frame(bytes), last: now }
    }
}

/// A long message that begins to use links, or goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// When its first byte leaves its host.
    pub left: Time,
    /// When its first byte comes to its last link.
    pub comes: Time,
    /// Bytes on the wire that are to come.
    pub bytes: u64,
    /// Have bytes of it used links before?
    pub goes_on: bool,
    /// Has it waited for the message before it in its stream, and so has no place at its host's link?
    pub has_waited: bool,
}

/// How a burst crosses a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// When its first byte is sent.
    pub begins: Time,
    /// When its first frame has been sent.
    pub frame_sent: Time,
    /// When the next link can begin.
    pub next: Time,
    /// When the last byte is there.
    pub last: Time,
}

impl Wire {
    /// A short message has taken its place, and no flow owes so many bytes of it.
    fn note_unowed(&mut self, now: Time, bytes: u64) {
        self.unowed = if self.unowed_until > now { self.unowed + bytes } else { bytes };
        self.unowed_until = self.free;
    }

    /// A flow begins where short messages have their places already: it is later by those that have not left. Gives their bytes.
    fn charge_unowed(&mut self, from: Time, bytes: u64) -> u64 {
        let left = (self.unowed_until.since(from).as_secs_f64() * self.bandwidth) as u64;
        let charged = self.unowed.min(left).min(bytes);
        self.unowed -= charged;
        charged
    }

    /// Have flows put bytes into its queue that have not left?
    fn has_queue(&self, now: Time) -> bool {
        self.flows > 0 && self.drained > now && self.is_shared
    }

    /// A burst takes its place where no flow has a queue.
    fn take_place(&mut self, now: Time, burst: &Burst) -> Crossing {
        let crossing = self.reserve(now, burst);
        self.note_unowed(now, burst.bytes);
        crossing
    }

    /// Transmission time of so many bytes. Often there are none: switches that cut through wait for nothing.
    #[inline]
    fn span(&self, bytes: u64) -> Duration {
        if bytes == 0 {
            return Duration::ZERO;
        }
        Duration::from_secs_f64(bytes as f64 / self.bandwidth)
    }

    /// A burst takes its place among those that the link sends.
    fn reserve(&mut self, now: Time, burst: &Burst) -> Crossing {
        let begins = if self.is_shared { now.max(self.free) } else { now };
        // Bytes do not leave before they have come.
        let ends = (begins + self.span(burst.bytes)).max(burst.last);
        if self.is_shared {
            self.free = ends;
        }
        let frame_sent = begins + self.span(burst.frame);
        Crossing { begins, frame_sent, next: frame_sent + self.latency, last: ends + self.latency }
    }
}

impl Wires {
    pub(super) fn new(platform: Arc<Platform>, contention: bool) -> Wires {
        let unasked = Wire {
            free: Time::ZERO,
            bandwidth: 0.0,
            latency: Duration::ZERO,
            flows: 0,
            drained: Time::ZERO,
            taken: 0.0,
            unowed: 0,
            unowed_until: Time::ZERO,
            is_shared: false,
        };
        let numbers = vec![0; platform.link_count() as usize];
        Wires { platform, numbers, wires: vec![unasked], counted: Vec::new(), contention }
    }

    /// When the bursts so far have left a link.
    pub(super) fn free(&self, link: LinkId) -> Time {
        self.wires[self.numbers[link.0 as usize] as usize].free
    }

    /// Bytes of bursts that a link has not sent yet.
    pub(super) fn unsent(&mut self, now: Time, link: LinkId) -> u64 {
        let wire = self.asked(link);
        (wire.free.since(now).as_secs_f64() * wire.bandwidth) as u64
    }

    /// A short message comes to a link. Each flow puts as many bytes before it as it has itself, and not less than the backlog.
    pub(super) fn cross(&mut self, now: Time, link: LinkId, burst: &Burst, backlog: Backlog) -> Crossing {
        let wire = self.asked(link);
        if !wire.has_queue(now) {
            return wire.take_place(now, burst);
        }
        let before = u64::from(wire.flows) * burst.bytes.max(backlog.each) + backlog.more;
        let waits = wire.span(before).min(wire.drained.since(now));
        let crossing = wire.reserve(now + waits, burst);
        // Flows that have bytes left when it begins are later by it.
        let left = (wire.drained.since(crossing.begins).as_secs_f64() * wire.bandwidth) as u64;
        let owed = burst.bytes.min(left);
        wire.taken += owed as f64 / f64::from(wire.flows);
        wire.note_unowed(now, burst.bytes - owed);
        crossing
    }

    /// A protocol message crosses a route on which it waits for nothing but others at its first link: gives when its last byte is there. So few bytes
    /// hold up nothing that comes to the other links before them.
    pub(super) fn cross_idle(&mut self, now: Time, route: &[LinkId], burst: &Burst) -> Option<Time> {
        let (&first, others) = route.split_first()?;
        let mut wire = *self.asked(first);
        if wire.has_queue(now) {
            return None;
        }
        let Crossing { mut next, mut last, .. } = wire.take_place(now, burst);
        for &link in others {
            let other = self.asked(link);
            if other.is_shared && other.free > next || other.has_queue(next) {
                return None;
            }
            last = (next + other.span(burst.bytes)).max(last) + other.latency;
            next = next + other.span(burst.frame) + other.latency;
        }
        *self.asked(first) = wire;
        Some(last)
    }

    /// A burst takes its place among those that a link sends.
    pub(super) fn reserve(&mut self, now: Time, link: LinkId, burst: &Burst) -> Crossing {
        self.asked(link).reserve(now, burst)
    }

    /// The most flows on a link of a route.
    pub(super) fn most_flows(&mut self, route: &[LinkId]) -> u32 {
        route.iter().map(|&link| self.asked(link).flows).max().unwrap_or(0)
    }

    /// A long message uses links as a flow of that number.
    pub(super) fn add_flow(&mut self, flow: u32, route: &[LinkId], load: &Load) {
        let mut counted = self.counts_of(flow);
        for (at, &link) in route.iter().enumerate() {
            let number = self.number(link);
            let wire = &mut self.wires[number as usize];
            wire.flows += 1;
            let (from, span) = (if at == 0 { load.left } else { load.comes }, wire.span(load.bytes));
            let charged = if at > 0 || load.has_waited { wire.charge_unowed(from, load.bytes) } else { 0 };
            counted.push(Counted { wire: number, taken: wire.taken - charged as f64 });
            wire.drained =
                if load.goes_on { wire.drained.max(from + span) } else { wire.drained.max(from) + span };
        }
        self.counted[flow as usize] = counted;
    }

    /// The empty list of what links have counted for a flow.
    fn counts_of(&mut self, flow: u32) -> SmallVec<[Counted; 4]> {
        if self.counted.len() <= flow as usize {
            self.counted.resize(flow as usize + 1, SmallVec::new());
        }
        let mut counted = std::mem::take(&mut self.counted[flow as usize]);
        counted.clear();
        counted
    }

    /// A flow has carried its bytes: the bytes by which it has to go on for short messages that used its links meanwhile. Up to `negligible`
    /// bytes are left to other flows.
    pub(super) fn settle(&mut self, flow: u32, negligible: f64) -> Option<f64> {
        let Wires { wires, counted, .. } = self;
        let taken = |counted: &Counted| wires[counted.wire as usize].taken;
        let counted = &mut counted[flow as usize];
        let owed = counted.iter().map(|counted| taken(counted) - counted.taken).fold(0.0, f64::max);
        if owed <= negligible {
            return None;
        }
        counted.iter_mut().for_each(|counted| counted.taken = taken(counted));
        Some(owed)
    }

    /// A long message no longer uses links. The other flows take over what it has not made up for.
    pub(super) fn remove_flow(&mut self, flow: u32) {
        let Wires { wires, counted, .. } = self;
        for counted in &counted[flow as usize] {
            let wire = &mut wires[counted.wire as usize];
            wire.flows -= 1;
            if wire.flows > 0 {
                wire.taken += (wire.taken - counted.taken) / f64::from(wire.flows);
            }
        }
    }

    /// The wire of a link, looked up in the platform if need be.
    fn asked(&mut self, link: LinkId) -> &mut Wire {
        let number = self.number(link);
        &mut self.wires[number as usize]
    }

    fn number(&mut self, link: LinkId) -> u32 {
        match self.numbers[link.0 as usize] {
            0 => self.ask(link),
            number => number,
        }
    }

    /// Asks the platform for a link.
    #[cold]
    fn ask(&mut self, link: LinkId) -> u32 {
        let spec = self.platform.link(link);
        let number = self.wires.len() as u32;
        self.numbers[link.0 as usize] = number;
        self.wires.push(Wire {
            bandwidth: spec.bandwidth,
            latency: Duration::from_secs_f64(spec.latency),
            is_shared: self.contention && spec.sharing == Sharing::Shared,
            ..self.wires[0]
        });
        number
    }
}
