//! `loggops`: latency, overhead, gap, gap per byte, overhead per byte, and the size from which sends wait.

use mpirage_models::Wire;
use mpirage_mpi::{Envelope, Overhead, ProcessorCosts, Protocol, Rendezvous, SendCost};
use mpirage_units::Duration;

/// The letters of the model; the S is the protocol's limit of eager messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGops {
    /// L: seconds between the processors.
    pub latency: f64,
    /// o: seconds that a message keeps a processor busy, on either side.
    pub overhead: f64,
    /// g: seconds between two messages of a host, on either side.
    pub gap: f64,
    /// G: seconds per byte on the wire.
    pub gap_per_byte: f64,
    /// O: seconds per byte that keep a processor busy.
    pub overhead_per_byte: f64,
}

impl Default for LogGops {
    /// The numbers of LogGOPSim.
    fn default() -> Self {
        LogGops {
            latency: 2500e-9,
            overhead: 1500e-9,
            gap: 1000e-9,
            gap_per_byte: 6e-9,
            overhead_per_byte: 0.0,
        }
    }
}

impl LogGops {
    /// From the moment a processor starts to send until the first byte is there: o + L.
    pub(crate) fn wire(&self) -> Wire {
        Wire { latency: self.overhead + self.latency, bandwidth: f64::INFINITY }
    }

    /// Sends cost o + (s − 1)·O; what a message costs its receiver its processor sees to.
    pub(crate) fn shape(&self, protocol: &mut Protocol) {
        let &LogGops { overhead, overhead_per_byte, gap, gap_per_byte, .. } = self;
        protocol.processor = Some(ProcessorCosts {
            overhead: Duration::from_secs_f64(overhead),
            overhead_per_byte,
            gap: Duration::from_secs_f64(gap),
            gap_per_byte,
        });
        let sections = vec![(0, overhead, 0.0), (1, overhead - overhead_per_byte, overhead_per_byte)];
        protocol.send_overhead = Overhead { sections };
        protocol.isend_overhead = protocol.send_overhead.clone();
    }

    pub(crate) fn describe(&self) -> Vec<String> {
        let LogGops { latency, overhead, gap, gap_per_byte, overhead_per_byte } = self;
        let letters =
            [("L", latency), ("o", overhead), ("g", gap), ("G", gap_per_byte), ("O", overhead_per_byte)];
        letters.map(|(letter, seconds)| format!("{letter} = \"{seconds:e}s\"")).to_vec()
    }
}

/// Messages of more than S = 65535 bytes are sent like all others, but their senders wait until they are matched.
pub(crate) fn protocol(base: Protocol) -> Protocol {
    Protocol {
        eager_limit: 65_536,
        push_limit: u64::MAX,
        envelope: Envelope::InOrder,
        rendezvous: Rendezvous::Matched,
        send_cost: SendCost::Meanwhile,
        reduce_seconds_per_byte: 0.0,
        copy_seconds_per_byte: 0.0,
        copy_seconds_per_block: 0.0,
        ..base
    }
}
