//! An output with its link.

use mpirage_platform::{Link, LinkId, Sharing};
use mpirage_units::{Duration, Time};

use super::gate::Gate;
use super::parameters::LosslessParameters;
use super::queues::{Queues, Ring};
use crate::faults::LinkFaults;
use crate::frame::Frames;
use crate::port::PortCounts;

/// One direction of a link, with what waits for it.
#[derive(Debug)]
pub(super) struct Port {
    pub link: LinkId,
    /// The scheduled faults of the link.
    pub faults: Option<Box<LinkFaults>>,
    pub latency: Duration,
    pub counts: PortCounts,
    /// Lanes for data; a further one is for urgent frames.
    pub lanes: Vec<Lane>,
    /// Bytes that wait, over all lanes.
    pub waiting: u64,
    /// Frames on the link.
    pub flying: u32,
    /// When it is free, if one frame at a time crosses it.
    pub free_at: Time,
    /// When [`Event::Port`](crate::event::Event::Port) is to come; [`Time::MAX`] if never.
    pub wake_at: Time,
    /// Since when it is free but has no room for what waits.
    pub blocked_since: Option<Time>,
    picos_per_byte: f64,
    shared: bool,
    next_lane: usize,
}

/// A lane of an output.
#[derive(Debug)]
pub(super) struct Lane {
    pub ring: Ring,
    pub gate: Gate,
    /// Bytes that wait.
    pub waiting: u64,
}

impl Port {
    pub(super) fn new(
        spec: &Link<'_>,
        parameters: &LosslessParameters,
        faults: Option<Box<LinkFaults>>,
    ) -> Port {
        let latency = Duration::from_secs_f64(spec.latency);
        let gate = || Gate::new(&parameters.flow_control, spec.bandwidth, latency);
        let lane = |_| Lane { ring: Ring::EMPTY, gate: gate(), waiting: 0 };
        Port {
            link: spec.id,
            faults,
            latency,
            counts: PortCounts::default(),
            lanes: (0..parameters.all_lanes()).map(lane).collect(),
            waiting: 0,
            flying: 0,
            free_at: Time::ZERO,
            wake_at: Time::MAX,
            blocked_since: None,
            picos_per_byte: 1e12 / spec.bandwidth,
            shared: spec.sharing == Sharing::Shared,
            next_lane: 0,
        }
    }

    /// How long the link carries so many bytes.
    pub(super) fn span(&self, bytes: u32) -> Duration {
        Duration::from_picos((f64::from(bytes) * self.picos_per_byte + 0.5) as u64)
    }

    /// Bytes that wait or are leaving.
    pub(super) fn backlog(&self, now: Time) -> u64 {
        self.waiting + (self.free_at.since(now).as_picos() as f64 / self.picos_per_byte) as u64
    }

    /// The lane whose turn it is among those that have a frame, and room for it at the other end. The urgent lane comes first.
    pub(super) fn pick<H: Copy>(
        &mut self,
        now: Time,
        data_lanes: usize,
        queues: &Queues,
        frames: &Frames<H>,
    ) -> Option<usize> {
        let Port { lanes, next_lane, .. } = self;
        let (next, urgent) = (*next_lane, data_lanes..lanes.len());
        let in_turn = (0..data_lanes).map(|step| (next + step) % data_lanes);
        let lane = urgent.chain(in_turn).find(|lane| {
            let Lane { ring, gate, .. } = &mut lanes[*lane];
            queues.first(ring).is_some_and(|id| gate.is_open(now, frames.get(id).bytes()))
        })?;
        if lane < data_lanes {
            *next_lane = lane + 1;
        }
        Some(lane)
    }

    /// When a lane with frames may have room, if that is known.
    pub(super) fn opens(&self) -> Option<Time> {
        self.lanes.iter().filter(|lane| !lane.ring.is_empty()).filter_map(|lane| lane.gate.opens()).min()
    }

    /// A frame of so many bytes leaves by a lane. Gives when its last byte has left; not before `tail` has come.
    pub(super) fn occupy(&mut self, now: Time, lane: usize, bytes: u32, overhead: u32, tail: Time) -> Time {
        let mut span = self.span(bytes + overhead);
        if let Some(faults) = &self.faults {
            span = Duration::from_secs_f64(span.as_secs_f64() / faults.rate(now));
        }
        let ends = (now + span).max(tail);
        if self.shared {
            self.free_at = ends;
        }
        self.waiting -= u64::from(bytes);
        self.lanes[lane].waiting -= u64::from(bytes);
        self.lanes[lane].gate.take(bytes);
        self.flying += 1;
        self.counts.frames += 1;
        self.counts.bytes += u64::from(bytes);
        if let Some(since) = self.blocked_since.take() {
            self.counts.blocked += now.since(since);
        }
        ends
    }
}
