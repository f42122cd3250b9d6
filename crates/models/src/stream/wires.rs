//! The links of a network as short messages see them: first come, first served.
//!
//! A short message crosses its route link by link. On each it waits until those before it have left; where long messages use the
//! link as flows, it also waits for what they have put into the queue before it. So a short message costs a few dates instead of
//! a solution of the whole network. Flows do not notice short messages.

use std::sync::Arc;

use mpirage_platform::{LinkId, Platform, Sharing};
use mpirage_units::{Duration, Time};

use super::physics::{Backlog, Framing};

/// The state of every link.
pub(super) struct Wires {
    platform: Arc<Platform>,
    links: Vec<Wire>,
    contention: bool,
}

#[derive(Clone, Copy)]
struct Wire {
    /// When the bursts so far have left.
    free: Time,
    /// Bytes per second; 0 until the model has looked the link up in the platform.
    bandwidth: f64,
    latency: Duration,
    /// Long messages that use it.
    flows: u32,
    /// When all bytes of long messages have left, if no other link slows them down.
    drained: Time,
    is_shared: bool,
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
    /// What so many bytes take.
    fn span(&self, bytes: u64) -> Duration {
        Duration::from_secs_f64(bytes as f64 / self.bandwidth)
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
            is_shared: false,
        };
        let links = vec![unasked; platform.link_count() as usize];
        Wires { platform, links, contention }
    }

    /// When the bursts so far have left a link.
    pub(super) fn free(&self, link: LinkId) -> Time {
        self.links[link.0 as usize].free
    }

    /// Bytes of bursts that a link has not sent yet.
    pub(super) fn unsent(&mut self, now: Time, link: LinkId) -> u64 {
        let wire = self.asked(link);
        (wire.free.since(now).as_secs_f64() * wire.bandwidth) as u64
    }

    /// A short message comes to a link. Each flow puts as many bytes before it as it has itself, and not less than the backlog.
    pub(super) fn cross(&mut self, now: Time, link: LinkId, burst: &Burst, backlog: Backlog) -> Crossing {
        let wire = self.links[link.0 as usize];
        if wire.flows == 0 || wire.drained <= now || !wire.is_shared {
            return self.reserve(now, link, burst);
        }
        let before = u64::from(wire.flows) * burst.bytes.max(backlog.each) + backlog.more;
        let waits = wire.span(before).min(wire.drained.since(now));
        self.reserve(now + waits, link, burst)
    }

    /// A burst takes its place among those that a link sends.
    pub(super) fn reserve(&mut self, now: Time, link: LinkId, burst: &Burst) -> Crossing {
        let wire = self.asked(link);
        let begins = if wire.is_shared { now.max(wire.free) } else { now };
        // Bytes do not leave before they have come.
        let ends = (begins + wire.span(burst.bytes)).max(burst.last);
        if wire.is_shared {
            wire.free = ends;
        }
        let frame_sent = begins + wire.span(burst.frame);
        Crossing { begins, frame_sent, next: frame_sent + wire.latency, last: ends + wire.latency }
    }

    /// A long message uses links as a flow.
    pub(super) fn add_flow(&mut self, route: &[LinkId], load: &Load) {
        for (at, &link) in route.iter().enumerate() {
            let wire = self.asked(link);
            wire.flows += 1;
            let (from, span) = (if at == 0 { load.left } else { load.comes }, wire.span(load.bytes));
            wire.drained =
                if load.goes_on { wire.drained.max(from + span) } else { wire.drained.max(from) + span };
        }
    }

    /// A long message no longer uses links.
    pub(super) fn remove_flow(&mut self, route: &[LinkId]) {
        route.iter().for_each(|link| self.links[link.0 as usize].flows -= 1);
    }

    /// A link that the model has looked up.
    fn asked(&mut self, link: LinkId) -> &mut Wire {
        if self.links[link.0 as usize].bandwidth == 0.0 {
            self.ask(link);
        }
        &mut self.links[link.0 as usize]
    }

    /// Asks the platform for a link.
    #[cold]
    fn ask(&mut self, link: LinkId) {
        let spec = self.platform.link(link);
        let wire = &mut self.links[link.0 as usize];
        (wire.bandwidth, wire.latency) = (spec.bandwidth, Duration::from_secs_f64(spec.latency));
        wire.is_shared = self.contention && spec.sharing == Sharing::Shared;
    }
}
