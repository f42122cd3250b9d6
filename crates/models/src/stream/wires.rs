//! The links of a network as short messages see them: first come, first served.
//!
//! A short message crosses its route link by link. On each it waits until those before it have left; where long messages use the
//! link as flows, it gets an equal share. So a short message costs a few dates instead of a solution of the whole network. Flows
//! do not notice short messages.

use std::sync::Arc;

use mpirage_platform::{LinkId, Platform, Sharing};
use mpirage_units::{Duration, Time};

use super::physics::Framing;

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

impl Wires {
    pub(super) fn new(platform: Arc<Platform>, contention: bool) -> Wires {
        let unasked =
            Wire { free: Time::ZERO, bandwidth: 0.0, latency: Duration::ZERO, flows: 0, is_shared: false };
        let links = vec![unasked; platform.link_count() as usize];
        Wires { platform, links, contention }
    }

    /// When the bursts so far have left a link.
    pub(super) fn free(&self, link: LinkId) -> Time {
        self.links[link.0 as usize].free
    }

    /// A short message comes to a link.
    pub(super) fn cross(&mut self, now: Time, link: LinkId, burst: &Burst) -> Crossing {
        let users = self.links[link.0 as usize].flows + 1;
        self.cross_among(now, link, burst, users)
    }

    /// The first burst of a flow comes to the first link, on which it takes its place among bursts.
    pub(super) fn reserve(&mut self, now: Time, link: LinkId, burst: &Burst) -> Crossing {
        self.cross_among(now, link, burst, 1)
    }

    fn cross_among(&mut self, now: Time, link: LinkId, burst: &Burst, users: u32) -> Crossing {
        if self.links[link.0 as usize].bandwidth == 0.0 {
            self.ask(link);
        }
        let wire = &mut self.links[link.0 as usize];
        let Wire { bandwidth, latency, is_shared, .. } = *wire;
        let begins = if is_shared { now.max(wire.free) } else { now };
        let per_byte = f64::from(if is_shared { users } else { 1 }) / bandwidth;
        let span = |bytes: u64| Duration::from_secs_f64(bytes as f64 * per_byte);
        // Bytes do not leave before they have come.
        let ends = (begins + span(burst.bytes)).max(burst.last);
        if is_shared {
            wire.free = ends;
        }
        let frame_sent = begins + span(burst.frame);
        Crossing { begins, frame_sent, next: frame_sent + latency, last: ends + latency }
    }

    /// Asks the platform for a link.
    #[cold]
    fn ask(&mut self, link: LinkId) {
        let spec = self.platform.link(link);
        let wire = &mut self.links[link.0 as usize];
        (wire.bandwidth, wire.latency) = (spec.bandwidth, Duration::from_secs_f64(spec.latency));
        wire.is_shared = self.contention && spec.sharing == Sharing::Shared;
    }

    /// A long message starts to use links as a flow.
    pub(super) fn add_flow(&mut self, route: &[LinkId]) {
        route.iter().for_each(|link| self.links[link.0 as usize].flows += 1);
    }

    /// A long message no longer uses links.
    pub(super) fn remove_flow(&mut self, route: &[LinkId]) {
        route.iter().for_each(|link| self.links[link.0 as usize].flows -= 1);
    }
}
