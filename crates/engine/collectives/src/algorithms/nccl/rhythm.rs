//! The time that a kernel of NCCL takes besides its messages.
//!
//! ```text
//!   begin    the start of a kernel
//!   round    receive …, (a hop), send …, as long as the device needs to pass so many bytes on, wait
//! ```
//!
//! The platform's links carry a hop of the ring with LL already; what a hop of another protocol takes longer is paid where the first chunk
//! goes by. Chunks behind it follow in the pipeline, as NCCL's model has it. All channels share the rhythm of a rank, so with several of them
//! each round pays the mean of a ring's hops, and waits for its longest link.

use mpirage_call::WireProtocol;
use mpirage_units::Duration;

use super::model::{BLOCK_OF_PAT, Hop, Model, Way, base, hop};
use crate::data::{Data, Piece};
use crate::step::Schedule;

/// The costs of one call.
pub(super) struct Rhythm {
    protocol: WireProtocol,
    base: Duration,
    hop: Duration,
    seconds_per_byte: f64,
}

/// The messages of a rank in one round.
#[derive(Default)]
pub(super) struct Round {
    pub receives: Vec<(u32, u64)>,
    pub sends: Vec<(u32, Data)>,
    /// Bytes that each receive is combined with.
    pub combined: Vec<u64>,
    /// Bytes that the device passes on.
    pub passed: u64,
    /// Is it the first chunk of a channel?
    pub first: bool,
}

/// A message of several blocks to one rank, while another one comes.
pub(super) struct Trip {
    pub to: u32,
    pub from: u32,
    /// How many blocks share the message.
    pub blocks: usize,
    /// Are received blocks combined with the own ones?
    pub combines: bool,
    /// Is it the first pass?
    pub first: bool,
}

impl Rhythm {
    /// Of a way with so many `lanes`, rings or trees that differ.
    pub fn new(model: &Model, way: Way, protocol: WireProtocol, channels: u32, lanes: usize) -> Rhythm {
        let hop = match way {
            Way::Ring => ring_hop(model, protocol, lanes),
            Way::Tree => tree_hop(model, protocol, lanes),
            Way::Pat => hop(way, protocol, Hop::Network) - wire(Hop::Network),
        };
        Rhythm {
            protocol,
            base: micros(base(way, protocol)),
            hop: micros(hop),
            seconds_per_byte: 1.0 / model.pace(way, protocol, channels),
        }
    }

    /// The kernel starts.
    pub fn begin(&self, out: &mut Schedule) {
        out.delay(self.base);
    }

    /// One round: what arrives is combined when all is there.
    pub fn round(&self, round: &Round, out: &mut Schedule) {
        for &(from, bytes) in &round.receives {
            out.irecv(from, self.protocol.wire_bytes(bytes));
        }
        if round.first && !round.sends.is_empty() {
            out.delay(self.hop);
        }
        for &(to, data) in &round.sends {
            out.isend_padded(to, data, self.protocol.wire_bytes(data.bytes) - data.bytes);
        }
        out.delay(Duration::from_secs_f64(round.passed as f64 * self.seconds_per_byte));
        out.wait_all();
        round.combined.iter().for_each(|&bytes| out.combine(bytes));
    }

    /// One step of aggregated trees, of messages with so many bytes sent and received.
    pub fn aggregate(&self, trip: &Trip, [sent, received]: [u64; 2], pieces: Vec<Piece>, out: &mut Schedule) {
        out.irecv(trip.from, self.protocol.wire_bytes(received));
        if trip.first {
            out.delay(self.hop + micros(trip.blocks as f64 * BLOCK_OF_PAT));
        }
        out.isend(trip.to, Data::range(0, self.protocol.wire_bytes(sent)));
        out.carries(pieces);
        out.delay(Duration::from_secs_f64(sent as f64 * self.seconds_per_byte));
        out.wait_all();
        if trip.combines {
            out.combine(received);
        }
    }
}

pub(super) fn micros(time: f64) -> Duration {
    Duration::from_secs_f64(time * 1e-6)
}

/// Microseconds that the platform's links take for a hop: those of the ring with LL.
pub(super) fn wire(kind: Hop) -> f64 {
    hop(Way::Ring, WireProtocol::Ll, kind)
}

/// Microseconds that a hop takes beyond those of its link, on average around a ring.
fn ring_hop(model: &Model, protocol: WireProtocol, lanes: usize) -> f64 {
    let (steps, nodes) = (f64::from(model.ranks), f64::from(model.nodes));
    let between = if model.nodes > 1 { nodes / steps } else { 0.0 };
    let inside = hop(Way::Ring, protocol, Hop::Inside);
    let mean = (1.0 - between) * inside + between * hop(Way::Ring, protocol, Hop::Network);
    (mean - mean_wire(between, lanes)).max(0.0)
}

/// The same along a tree, from a leaf to the root.
fn tree_hop(model: &Model, protocol: WireProtocol, lanes: usize) -> f64 {
    let chain = f64::from((model.ranks / model.nodes).max(1) - 1);
    let network = f64::from(model.nodes.ilog2());
    let between = network / (chain + network);
    (model.hops(Way::Tree, protocol) / 2.0 / (chain + network) - mean_wire(between, lanes)).max(0.0)
}

fn mean_wire(between: f64, lanes: usize) -> f64 {
    match lanes {
        1 => (1.0 - between) * wire(Hop::Inside) + between * wire(Hop::Network),
        _ if between > 0.0 => wire(Hop::Network),
        _ => wire(Hop::Inside),
    }
}
