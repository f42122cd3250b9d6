//! NCCL's model of its own performance: latencies and rates of each algorithm and protocol on nodes of NVIDIA's accelerators.
//!
//! ```text
//!   time = base + hops · latency of a hop + bytes / rate          the smallest one is chosen
//! ```
//!
//! Formulas and numbers are facts of NCCL 2.20.5: `src/graph/tuning.cc` (latencies, rates, corrections), `src/graph/search.cc` (speeds of
//! channels), `src/graph/topo.h` (rate of an NVLink), `src/enqueue.cc` (channels and chunks of a call), `src/include/device.h`.
//!
//! NCCL 2.23.4 counts otherwise in some places ([`Release`]), and has parallel aggregated trees. What ranks do takes the times of 2.20.5 in both.
//!
//! NCCL knows the generation of its devices; here it follows from the rate of the links inside a node. Our links carry 90 % of what a data
//! sheet says (22.5 GB/s of each NVLink's 25); a kernel of NCCL uses 20 GB/s of them, from H100 on 20.6.

use mpirage_call::{Collective, WireProtocol};

use crate::nodes::DeviceLinks;
use crate::shape::Shape;
use crate::shaped::Shaped;

/// Where ranks without accelerators are: on a DGX H100.
const DEFAULT: DeviceLinks = DeviceLinks { inside: 405_000_000_000, port: 48_500_000_000 };
/// The most channels, and the most that a search finds.
const MOST_CHANNELS: u32 = 32;
const MOST_FOUND: u32 = MOST_CHANNELS / 2;
/// Bytes of the vector that are worth a channel of aggregated trees, which count no threads.
const BYTES_OF_CHANNEL: u64 = 16 << 10;
/// Microseconds that each block adds to aggregated trees.
pub(super) const BLOCK_OF_PAT: f64 = 2.8;

/// A way to combine or distribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Tree,
    Ring,
    Pat,
}

/// A release of NCCL, whose model decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Release {
    V2_20,
    V2_23,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    Volta,
    Ampere,
    Hopper,
}

/// Between two devices of a node, or of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    Inside,
    Network,
}

/// The machine and the call as the model sees them. Rates are in GB/s, times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    collective: Collective,
    release: Release,
    generation: Generation,
    pub ranks: u32,
    pub nodes: u32,
    /// Ranks on the fullest node.
    pub per_node: u32,
    /// The rate at which a kernel reads and writes the links inside a node.
    inside: f64,
    /// Channels that a search for rings finds, and the rate of each.
    found: u32,
    speed: f64,
    bytes: u64,
}

impl Model {
    pub fn of(collective: Collective, shape: &Shape) -> Model {
        let links = shape.nodes.and_then(|nodes| nodes.links()).unwrap_or(DEFAULT);
        let nodes = shape.nodes.map_or(shape.size, |nodes| nodes.count());
        let per_node = shape.nodes.map_or(1, |nodes| nodes.most_ranks());
        let nominal = links.inside as f64 / 1e9;
        let generation = match nominal {
            rate if rate < 200.0 => Generation::Volta,
            rate if rate < 330.0 => Generation::Ampere,
            _ => Generation::Hopper,
        };
        let inside = nominal / 22.5 * if generation == Generation::Hopper { 20.6 } else { 20.0 };
        let (found, speed) = match nodes {
            1 => channels_inside(generation, inside),
            _ => channels_outside(generation, inside, links.port as f64 / 1e9, per_node.min(MOST_FOUND)),
        };
        let bytes = collective.total(shape);
        let (release, ranks) = (Release::V2_20, shape.size);
        Model { collective, release, generation, ranks, nodes, per_node, inside, found, speed, bytes }
    }

    /// As another release counts.
    pub fn by(self, release: Release) -> Model {
        Model { release, ..self }
    }

    /// All channels: NCCL uses each one that it finds twice.
    pub fn channels(&self) -> u32 {
        (2 * self.found).min(MOST_CHANNELS)
    }

    /// The channels that a method names: 0 for all.
    pub fn used(&self, channels: u8) -> u32 {
        if channels == 0 { self.channels() } else { self.channels().min(channels.into()) }
    }

    /// The channels that a call is worth: fewer for few bytes.
    pub fn channels_for(&self, way: Way, protocol: WireProtocol) -> u8 {
        if way == Way::Pat {
            return (self.bytes / BYTES_OF_CHANNEL).clamp(1, self.channels().into()) as u8;
        }
        let threads = if protocol == WireProtocol::Ll128 { 640 } else { 512 };
        let threshold = match (way, protocol) {
            (_, WireProtocol::Simple) => 64,
            (Way::Ring, WireProtocol::Ll) => 8 * u64::from(self.ranks),
            _ => 8,
        };
        (self.bytes / (threads * threshold)).clamp(1, self.channels().into()) as u8
    }

    /// Bytes of a chunk of one channel.
    pub fn chunk(&self, way: Way, protocol: WireProtocol, channels: u32) -> u64 {
        let rooted = matches!(self.collective, Collective::Bcast | Collective::Reduce);
        match (way, protocol) {
            (Way::Pat, _) => self.chunk_of_pat(channels),
            (_, WireProtocol::Ll) => 32 << 10,
            (Way::Ring, WireProtocol::Ll128) => 576_000,
            (Way::Tree, WireProtocol::Ll128) => self.ll128_chunk_of_tree(channels),
            (Way::Ring, WireProtocol::Simple) if !rooted => 2 << 20,
            (_, WireProtocol::Simple) => 512 << 10,
        }
    }

    fn chunk_of_pat(&self, channels: u32) -> u64 {
        let least = if self.collective.reduces() { 16 } else { 32 };
        let mut chunk = 512 << 10;
        while chunk * u64::from(channels) * least > self.bytes && chunk > 64 << 10 {
            chunk /= 2;
        }
        chunk
    }

    fn ll128_chunk_of_tree(&self, channels: u32) -> u64 {
        let per_node = f64::from(self.ranks) / f64::from(self.nodes);
        let steps = 1.0 + f64::from(self.nodes.ilog2()) + 0.1 * per_node;
        let chunks = |chunk: u64| (self.bytes / (u64::from(channels) * chunk)) as f64;
        let mut chunk = 576_000;
        while chunks(chunk) < steps * 64.0 / per_node && chunk > 131_072 {
            chunk /= 2;
        }
        while chunks(chunk) < steps * 16.0 / per_node && chunk > 32_768 {
            chunk /= 2;
        }
        chunk
    }

    /// The time that NCCL predicts, in microseconds.
    pub fn time(&self, way: Way, protocol: WireProtocol) -> f64 {
        let mut rate = self.bus(way, protocol, f64::from(self.found) * self.speed) * self.share_of_bus(way);
        let mut latency = self.base(way, protocol) + self.hops(way, protocol);
        if way == Way::Tree {
            rate *= correction(protocol, self.bytes);
        }
        let per_channel = self.bytes / (u64::from(self.channels()) * u64::from(self.ranks));
        let plateau = way == Way::Ring && protocol == WireProtocol::Simple && self.nodes > 1;
        if plateau && self.collective == Collective::Allreduce && per_channel >= 64 {
            latency *= if self.generation == Generation::Volta { 1.9 } else { 1.4 };
        }
        latency + self.bytes as f64 / (1000.0 * rate)
    }

    /// The rate at which a device's kernels pass data on, in bytes per second.
    pub fn pace(&self, way: Way, protocol: WireProtocol, channels: u32) -> f64 {
        let share = f64::from(channels.min(self.channels())) / f64::from(self.channels());
        self.bus(way, protocol, self.inside) * share * 1e9
    }

    /// The rate at which a device's kernels read and write the links inside its node, in bytes per second.
    pub fn copy_rate(&self) -> f64 {
        self.inside * 1e9
    }

    /// The rate on each link if channels can use so much.
    fn bus(&self, way: Way, protocol: WireProtocol, all: f64) -> f64 {
        use Generation::{Ampere, Hopper, Volta};
        let column = self.nodes.min(3) as usize - 1;
        let found = f64::from(self.found);
        let most_ll: f64 = match (self.nodes, self.generation) {
            (1, Volta) => 39.0,
            (1, Hopper) if self.release == Release::V2_23 => 141.0,
            (1, _) => 87.7,
            // By the processor: DGX A100 has AMD's, the others Intel's.
            (_, Ampere) => [87.7, 22.5, 19.0][column],
            _ => [39.0, 39.0, 20.4][column],
        };
        let ll128_of_channel = match (way, self.generation) {
            (Way::Tree, Hopper) => [36.7, 36.7, 29.0][column],
            (Way::Ring, Hopper) => 36.7,
            _ => 20.0,
        };
        let of_channel = match self.generation {
            Volta => [26.5, 18.5, 10.0],
            Ampere => [24.0, 23.6, 17.8],
            Hopper => [38.7, 41.4, 36.0],
        }[column];
        let few = self.ranks < 2 * self.nodes && self.release == Release::V2_20;
        let tree = (all * 0.92).min(found * of_channel);
        let rate = match (way, protocol) {
            (Way::Ring, WireProtocol::Simple) => all,
            (Way::Pat, _) => all * 0.85,
            (Way::Ring, WireProtocol::Ll) => most_ll.min(all / self.ll_of_data()),
            (Way::Ring, WireProtocol::Ll128) => {
                (all * if few { 0.7 } else { 0.92 }).min(found * ll128_of_channel)
            }
            (Way::Tree, WireProtocol::Simple) => tree,
            (Way::Tree, WireProtocol::Ll) => (tree / 3.8).min(most_ll),
            (Way::Tree, WireProtocol::Ll128) => {
                let data = if self.nodes == 1 { 7.0 / 9.0 } else { 120.0 / 128.0 };
                (tree * data).min(found * ll128_of_channel)
            }
        };
        // With one rank on each node, both children hang on the same one.
        if way == Way::Tree && self.per_node == 1 { rate * 0.85 } else { rate }
    }

    /// The rate of links for that of data that a ring with LL carries.
    fn ll_of_data(&self) -> f64 {
        let passes_on =
            self.nodes > 1 || matches!(self.collective, Collective::Allreduce | Collective::Reduce);
        match self.release {
            Release::V2_23 => 2.0,
            Release::V2_20 if passes_on => 4.0,
            Release::V2_20 => 3.0,
        }
    }

    /// Bytes of the vector for each byte on a link.
    fn share_of_bus(&self, way: Way) -> f64 {
        match way {
            Way::Tree => 0.5,
            Way::Pat => 1.0,
            Way::Ring => f64::from(self.ranks) / f64::from(self.steps()),
        }
    }

    /// Steps of a ring, one after the other.
    pub fn steps(&self) -> u32 {
        match self.collective {
            Collective::Allreduce => 2 * (self.ranks - 1),
            Collective::Bcast | Collective::Reduce => self.ranks,
            _ => self.ranks - 1,
        }
    }

    /// The latency of all hops, one after the other.
    pub fn hops(&self, way: Way, protocol: WireProtocol) -> f64 {
        let (inside, network) = (self.hop(way, protocol, Hop::Inside), self.exposed(way, protocol));
        let (steps, nodes) = (f64::from(self.steps()), f64::from(self.nodes));
        match (way, self.collective) {
            (Way::Tree, _) => {
                let chain = f64::from((self.ranks / self.nodes).max(1) - 1);
                2.0 * (chain * inside + f64::from(self.nodes.ilog2()) * network)
            }
            (Way::Pat, _) => {
                f64::from(self.nodes.ilog2()) * network + f64::from(self.ranks - 1) * BLOCK_OF_PAT
            }
            // Rings of one node are all the same, and NCCL counts one hop of them.
            (Way::Ring, Collective::Bcast | Collective::Reduce) if self.nodes == 1 => inside,
            (Way::Ring, Collective::Bcast | Collective::Reduce) => {
                let chunked = if protocol == WireProtocol::Simple { Way::Tree } else { Way::Ring };
                steps * self.hop(chunked, protocol, Hop::Network)
            }
            (Way::Ring, collective) => {
                let between = match (self.nodes, collective) {
                    (1, _) => 0.0,
                    (_, Collective::Allreduce) if self.release == Release::V2_23 => 2.0 * (nodes - 1.0),
                    (_, Collective::Allreduce) => 2.0 * nodes,
                    _ => nodes - 1.0,
                };
                (steps - between) * inside.max(self.posting(protocol)) + between * network
            }
        }
    }

    fn base(&self, way: Way, protocol: WireProtocol) -> f64 {
        match (self.release, way, protocol) {
            (Release::V2_23, Way::Tree, WireProtocol::Simple) => 8.4,
            _ => base(way, protocol),
        }
    }

    fn hop(&self, way: Way, protocol: WireProtocol, kind: Hop) -> f64 {
        match (self.release, way, protocol, kind) {
            (Release::V2_23, Way::Tree, WireProtocol::Simple, Hop::Inside) => 4.0,
            (Release::V2_23, Way::Tree, WireProtocol::Simple, Hop::Network) => 14.0,
            _ => hop(way, protocol, kind),
        }
    }

    /// A hop between nodes: of a ring with one rank on each node the newer release counts that of a tree, since no other rank hides it.
    fn exposed(&self, way: Way, protocol: WireProtocol) -> f64 {
        let alone = self.release == Release::V2_23 && self.ranks == self.nodes && way == Way::Ring;
        self.hop(if alone { Way::Tree } else { way }, protocol, Hop::Network)
    }

    /// Microseconds that a sender spends on a message to the network.
    fn posting(&self, protocol: WireProtocol) -> f64 {
        let once = if self.generation == Generation::Ampere { 2.0 } else { 1.0 };
        match (self.nodes, protocol) {
            (1, _) => 0.0,
            (_, WireProtocol::Simple) => 3.0 * once,
            _ => once,
        }
    }
}

/// Microseconds that a kernel takes before its first message.
pub(super) fn base(way: Way, protocol: WireProtocol) -> f64 {
    match (way, protocol) {
        // NCCL counts the own block too.
        (Way::Pat, _) => 8.0 + BLOCK_OF_PAT,
        (Way::Tree, WireProtocol::Ll) => 6.8,
        (Way::Ring, WireProtocol::Ll) => 6.6,
        (_, WireProtocol::Ll128) => 14.0,
        (Way::Tree, WireProtocol::Simple) => 0.0,
        (Way::Ring, WireProtocol::Simple) => 8.4,
    }
}

/// The latency of one hop.
pub(super) fn hop(way: Way, protocol: WireProtocol, hop: Hop) -> f64 {
    use WireProtocol::{Ll, Ll128, Simple};
    match (hop, way, protocol) {
        (_, Way::Pat, _) => 4.0,
        (Hop::Inside, _, Ll) => 0.6,
        (Hop::Inside, Way::Tree, Ll128) => 1.25,
        (Hop::Inside, Way::Ring, Ll128) => 1.9,
        (Hop::Inside, Way::Ring, Simple) => 3.4,
        (_, Way::Tree, Simple) => 28.0,
        (Hop::Network, Way::Tree, Ll) => 5.0,
        (Hop::Network, Way::Tree, Ll128) => 8.5,
        (Hop::Network, Way::Ring, Ll) => 2.7,
        (Hop::Network, Way::Ring, Ll128) => 4.0,
        (Hop::Network, Way::Ring, Simple) => 14.0,
    }
}

/// Trees of medium vectors are slower than the model says: factors for 64 B, 128 B, … 256 MiB.
fn correction(protocol: WireProtocol, bytes: u64) -> f64 {
    let tenths: [u8; 23] = match protocol {
        WireProtocol::Ll => [10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10],
        WireProtocol::Ll128 => [10, 10, 10, 10, 10, 9, 8, 8, 8, 7, 6, 6, 6, 6, 6, 6, 8, 9, 9, 9, 9, 10, 10],
        WireProtocol::Simple => [9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 7, 8, 9, 9],
    };
    let at = (bytes >> 6).max(1).ilog2() as usize;
    f64::from(tenths.get(at).copied().unwrap_or(10)) / 10.0
}

/// Rings inside one node: the highest speed of a channel that the links carry, and as many channels as they carry then.
fn channels_inside(generation: Generation, inside: f64) -> (u32, f64) {
    const SPEEDS: [f64; 13] = [40.0, 30.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 3.0];
    const HOPPER: [f64; 10] = [60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0, 6.0, 3.0];
    let speeds: &[f64] = if generation == Generation::Hopper { &HOPPER } else { &SPEEDS };
    let speed = speeds.iter().copied().find(|&speed| speed <= inside).unwrap_or(inside.max(0.1));
    doubled(generation, ((inside / speed) as u32).clamp(1, MOST_FOUND), speed)
}

/// Rings through the network: one for each port, with a speed that ports and links inside carry.
fn channels_outside(generation: Generation, inside: f64, port: f64, ports: u32) -> (u32, f64) {
    const SPEEDS: [f64; 19] = [
        48.0, 30.0, 28.0, 24.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.4, 1.2, 0.24,
        0.12,
    ];
    const HOPPER: [f64; 17] =
        [48.0, 45.0, 42.0, 40.0, 30.0, 24.0, 22.0, 20.0, 17.5, 15.0, 12.0, 6.0, 3.0, 2.4, 1.2, 0.24, 0.12];
    let speeds: &[f64] = if generation == Generation::Hopper { &HOPPER } else { &SPEEDS };
    let most = if ports > 1 { port.min(inside / f64::from(ports)) } else { port };
    let speed = speeds.iter().copied().find(|&speed| speed <= most).unwrap_or(0.12);
    doubled(generation, ports, speed)
}

/// Channels of high speed become twice as many of half the speed.
fn doubled(generation: Generation, channels: u32, speed: f64) -> (u32, f64) {
    let whole = speed < 25.0 || generation == Generation::Hopper && speed < 50.0 && channels > 4;
    let twice = (2 * channels).min(MOST_FOUND);
    if whole { (channels, speed) } else { (twice, speed / f64::from(twice.div_ceil(channels))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Nodes;

    const A100: DeviceLinks = DeviceLinks { inside: 270_000_000_000, port: 24_200_000_000 };

    fn model(links: DeviceLinks, nodes: u32, bytes: u64) -> Model {
        let nodes = Nodes::new((0..8 * nodes).map(|rank| rank / 8)).with_links(Some(links));
        Model::of(Collective::Allreduce, &Shape::new(nodes.ranks()).bytes(bytes).nodes(Some(&nodes)))
    }

    /// As NCCL prints them on these machines: 24 channels inside a node, 16 between nodes.
    #[test]
    fn channels_are_those_that_nccl_finds() {
        let found = |links, nodes| {
            let model = model(links, nodes, 8);
            (model.found, model.speed, model.channels())
        };
        assert_eq!(found(A100, 1), (12, 20.0, 24));
        assert_eq!(found(DEFAULT, 1), (12, 30.0, 24));
        assert_eq!(found(A100, 4), (8, 24.0, 16));
        assert_eq!(found(DEFAULT, 4), (8, 45.0, 16));
    }

    /// By hand, from the formulas of tuning.cc: 14 hops of 0.6 us and 8 B at 60 / 1.75 GB/s; 14 hops of 3.4 us and 1 GiB at 240 / 1.75.
    #[test]
    fn times_are_those_of_the_formulas() {
        let near = |time: f64, wanted: f64| assert!((time / wanted - 1.0).abs() < 1e-3, "{time} {wanted}");
        near(model(A100, 1, 8).time(Way::Ring, WireProtocol::Ll), 6.6 + 14.0 * 0.6);
        near(
            model(A100, 1, 1 << 30).time(Way::Ring, WireProtocol::Simple),
            8.4 + 14.0 * 3.4 + 1_073_741.824 / 240.0 * 1.75,
        );
        near(model(A100, 1, 8).time(Way::Tree, WireProtocol::Ll), 6.8 + 14.0 * 0.6);
        near(model(DEFAULT, 4, 8).time(Way::Tree, WireProtocol::Ll), 6.8 + 2.0 * (7.0 * 0.6 + 2.0 * 5.0));
    }

    #[test]
    fn few_bytes_have_few_channels() {
        let channels = |bytes, way, protocol| model(A100, 1, bytes).channels_for(way, protocol);
        assert_eq!(channels(8, Way::Ring, WireProtocol::Ll), 1);
        assert_eq!(channels(10 * 512 * 64, Way::Ring, WireProtocol::Simple), 10);
        assert_eq!(channels(1 << 30, Way::Ring, WireProtocol::Simple), 24);
    }
}
