//! The parameters of a network of flows.

use mpirage_kernel::InterfaceDelay;

use crate::stream::Physics;

/// Factors for one class of message sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Messages of more bytes than this belong here (on the wire, header included).
    pub above: u64,
    /// λ: multiplies the route's latency.
    pub latency_factor: f64,
    /// β: multiplies the bandwidth.
    pub bandwidth_factor: f64,
}

/// The loopback of a host, used where the platform gives none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loopback {
    /// Bytes per second of each message.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
}

/// How flows divide the bandwidth of a full link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Shares shrink with the round-trip time of the flow.
    RoundTrip,
    /// Equal shares.
    Equal,
}

/// Everything that distinguishes one flow model from another.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowParameters {
    /// Size classes in increasing order; the first starts at zero.
    pub segments: Vec<Segment>,
    /// Bytes added to each message.
    pub header: u64,
    /// γ: the largest TCP window in bytes; infinite for none.
    pub window: f64,
    /// S: how much a link's bandwidth counts in the penalty.
    pub penalty_scale: f64,
    /// How flows share a full link.
    pub fairness: Fairness,
    /// ε: weight of a flow on the links of its way back.
    pub cross_traffic: f64,
    /// Do flows share links at all?
    pub contention: bool,
    /// Where many flows depend on each other, rates may be lower than they could be by this part; 0 is exact.
    pub sharing_tolerance: f64,
    /// Messages within a host.
    pub loopback: Loopback,
    /// Frames, streams and interfaces instead of factors by size.
    pub physics: Option<Physics>,
    /// Time that messages between hosts spend in interfaces, in addition to the latency of links.
    pub interface_delay: InterfaceDelay,
    /// Is the power of links that of their load when messages start and end, as in SimGrid? Otherwise every byte costs the same.
    pub samples_power: bool,
    /// Interfaces that many ranks share.
    pub crowd: Crowd,
}

/// An interface takes longer for each message once many ranks have used it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crowd {
    /// More ranks than these; without a `gap` none are too many.
    pub ranks: u32,
    /// The time from one message to the next, by size, if it is longer than the usual gap.
    pub gap: InterfaceDelay,
}

impl FlowParameters {
    fn segment(&self, wire_bytes: u64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.above < wire_bytes);
        &self.segments[after.saturating_sub(1)]
    }

    /// The work of a message on its links, and the factor on the latency of its route.
    pub(crate) fn work(&self, bytes: u64) -> (f64, f64) {
        let wire_bytes = bytes + self.header;
        let segment = self.segment(wire_bytes);
        (wire_bytes as f64 / segment.bandwidth_factor, segment.latency_factor)
    }

    /// Seconds that a message takes alone on a route.
    pub fn uncontended(&self, bytes: u64, latency: f64, bandwidth: f64) -> f64 {
        let wire_bytes = bytes + self.header;
        let segment = self.segment(wire_bytes);
        let rate = segment.bandwidth_factor * self.bound(latency, bandwidth);
        self.interface_delay.of(bytes) + segment.latency_factor * latency + wire_bytes as f64 / rate
    }

    pub(crate) fn bound(&self, latency: f64, bandwidth: f64) -> f64 {
        if latency > 0.0 { bandwidth.min(self.window / (2.0 * latency)) } else { bandwidth }
    }
}

#[cfg(test)]
impl FlowParameters {
    /// Two classes of sizes, for tests.
    pub(crate) fn example() -> FlowParameters {
        let segment =
            |above, latency_factor, bandwidth_factor| Segment { above, latency_factor, bandwidth_factor };
        FlowParameters {
            segments: vec![segment(0, 1.5, 0.8), segment(1000, 2.5, 0.6)],
            header: 16,
            window: 4_194_304.0,
            penalty_scale: 8775.0,
            fairness: Fairness::RoundTrip,
            cross_traffic: 0.05,
            contention: true,
            sharing_tolerance: 0.0,
            loopback: Loopback { bandwidth: 498e6, latency: 15e-6 },
            physics: None,
            interface_delay: InterfaceDelay::default(),
            samples_power: false,
            crowd: Crowd::default(),
        }
    }
}
