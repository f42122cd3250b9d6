//! The parameters of lossless links and switches.

use mpirage_units::Duration;

use crate::parameters::{Forwarding, LinkParameters};
use crate::paths::Routing;

/// Lossless links and switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LosslessParameters {
    /// Switches and links.
    pub links: LinkParameters,
    /// Virtual lanes for data (InfiniBand), or priorities (Ethernet): at least 1. The lane of a connection is its class modulo
    /// this number.
    pub lanes: u8,
    /// A further lane for frames that the protocol calls urgent, which links serve first.
    pub urgent_lane: bool,
    /// A frame's lane rises by one at each switch, up to the last. With as many lanes as links in a path, no routing can
    /// deadlock (Günther 1981).
    pub lane_per_hop: bool,
    /// How a switch tells its neighbours that it has no room.
    pub flow_control: FlowControl,
    /// Marks of congestion, if switches set any.
    pub marking: Option<Marking>,
    /// Header bytes of a frame that a cut-through switch reads before forwarding.
    pub cut_through_header: u32,
}

/// How a switch tells its neighbours that it has no room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowControl {
    /// The sender of a link counts the room in the input buffer at its other end, in blocks of 64 bytes, and sends a frame only
    /// if there is room for it. Credits come back one link latency after the frame has left the buffer.
    Credits {
        /// The size of the input buffer of a lane, in bytes, ...
        buffer: u32,
        /// ... and on top of it so many times what the link carries in twice its latency, so that long links can be kept busy.
        round_trips: f64,
    },
    /// The receiver of a link tells the sender to pause a lane and to go on (priority flow control, IEEE 802.1Qbb). The order
    /// takes one link latency; a frame that has begun is finished.
    Pause {
        /// Pause above so many bytes in the switch that came by the link and lane.
        xoff: u32,
        /// Go on when no more than so many are left.
        xon: u32,
        /// Room beyond `xoff` for what is on its way when the order is given, in bytes, ...
        headroom: u32,
        /// ... and on top of it so many times what the link carries in twice its latency. A frame for which there is no room is
        /// dropped.
        round_trips: f64,
    },
}

/// Marks of congestion by the bytes that wait for an output: none up to `low`, then with a probability that rises to
/// `probability` at `high`, and always above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// Kmin, in bytes.
    pub low: u32,
    /// Kmax, in bytes.
    pub high: u32,
    /// Pmax.
    pub probability: f64,
}

impl Marking {
    /// The values of Zhu et al., "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM 2015).
    pub const DCQCN: Marking = Marking { low: 5_000, high: 200_000, probability: 0.01 };

    /// The probability of a mark while so many bytes wait.
    pub(super) fn chance(&self, waiting: u64) -> f64 {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let waiting = waiting as f64;
        if waiting <= low {
            0.0
        } else if waiting > high {
            1.0
        } else {
            self.probability * (waiting - low) / (high - low)
        }
    }
}

impl LosslessParameters {
    /// InfiniBand: one lane, credits for a round trip and 8 frames of 4096 bytes, cut-through within 90 ns (EDR switches are
    /// given with 60 to 90 ns, HDR's with less than 130).
    pub fn infiniband() -> LosslessParameters {
        LosslessParameters {
            links: LinkParameters {
                frame_overhead: 2,
                forwarding: Forwarding::CutThrough,
                switch_delay: Duration::from_nanos(90),
                routing: Routing::Static,
                frame_loss: 0.0,
                bit_errors: 0.0,
            },
            lanes: 1,
            urgent_lane: false,
            lane_per_hop: false,
            flow_control: FlowControl::Credits { buffer: 8 * 4160, round_trips: 1.0 },
            marking: None,
            cut_through_header: 8,
        }
    }

    /// Ethernet for RoCEv2: one priority for data and one for notifications, pause frames, marks for DCQCN, cut-through
    /// within 240 ns (Ethernet switches of InfiniBand's vendor are given with 230 to 250), equal-cost multipath.
    ///
    /// Zhu et al. leave 22.4 kB of headroom per port and priority; the part of it that depends on the cable is computed. A
    /// sender goes on two frames below the threshold. The threshold is the share of one of 32 ports in their switch's 12 MB.
    pub fn roce() -> LosslessParameters {
        LosslessParameters {
            links: LinkParameters {
                frame_overhead: 20,
                switch_delay: Duration::from_nanos(240),
                routing: Routing::Ecmp(16),
                ..LosslessParameters::infiniband().links
            },
            lanes: 1,
            urgent_lane: true,
            lane_per_hop: false,
            flow_control: FlowControl::Pause {
                xoff: 350_000,
                xon: 350_000 - 2 * 4160,
                headroom: 4 * 4160,
                round_trips: 1.0,
            },
            marking: Some(Marking::DCQCN),
            cut_through_header: 42,
        }
    }

    /// The same with other links.
    #[must_use]
    pub fn with_links(mut self, set: impl FnOnce(&mut LinkParameters)) -> LosslessParameters {
        set(&mut self.links);
        self
    }

    /// All lanes of a link.
    pub(super) fn all_lanes(&self) -> usize {
        usize::from(self.lanes.max(1)) + usize::from(self.urgent_lane)
    }
}

impl Default for LosslessParameters {
    fn default() -> LosslessParameters {
        LosslessParameters::infiniband()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_rise_between_the_thresholds_and_are_certain_above() {
        let marking = Marking { low: 100, high: 300, probability: 0.1 };
        let chances = [0, 100, 200, 300, 301].map(|waiting| marking.chance(waiting));
        assert_eq!(chances, [0.0, 0.0, 0.05, 0.1, 1.0]);
    }
}
