//! CPU time per packet of RDMA traffic over the link layers: `cargo run --release -p mpirage-packet --example frames [scale [links]]`.
//!
//! A packet is a data packet that a host sends; its acknowledgement and all links that both cross are in its time.

use std::sync::Arc;

use mpirage_kernel::{Connection, Model, NetworkModel, Token, Transfer};
use mpirage_packet::{
    LinkLayer, LosslessParameters, LosslessWires, MessageParameters, PacketNetwork, PacketParameters,
    QueueLimit, RdmaEndpoint, RdmaSettings, Routing,
};
use mpirage_platform::{HostId, Platform};
use mpirage_units::{Duration, Time};

type Pairs = Vec<(u32, u32)>;

/// A platform, who sends to whom, and how many packets each.
struct Workload {
    name: &'static str,
    platform: Arc<Platform>,
    pairs: Pairs,
    packets: u64,
}

fn main() {
    let scale = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    println!(
        "{:12} {:22} {:>9} {:>11} {:>10} {:>12}",
        "workload", "links", "packets", "crossings", "ns/packet", "ns/crossing"
    );
    for workload in workloads(scale) {
        lossy(&workload);
        let adaptive =
            LosslessParameters::infiniband().with_links(|links| links.routing = Routing::Adaptive(8));
        lossless("credits", &workload, LosslessParameters::infiniband(), RdmaSettings::infiniband());
        lossless("credits, adaptive", &workload, adaptive, RdmaSettings::infiniband());
        lossless("pauses, DCQCN", &workload, LosslessParameters::roce(), RdmaSettings::roce(RATE));
    }
}

/// Bytes per second of all links: 100 Gbit/s.
const RATE: f64 = 12.5e9;

fn workloads(scale: u64) -> Vec<Workload> {
    let platform = |text: &str| {
        let parts = "speed = '1Gf'\nbandwidth = '12.5GBps'\nlatency = '200ns'\n";
        Arc::new(Platform::from_text("frames.toml", &format!("{text}\n{parts}")).expect("a platform"))
    };
    let tree = platform("[fat-tree]\ndown = [8, 8]\nup = [1, 8]");
    let all_to_all = (0..64).flat_map(|from| (1..64).map(move |step| (from, (from + step) % 64))).collect();
    vec![
        Workload {
            name: "bulk",
            platform: platform("[cluster]\nhosts = 2"),
            pairs: vec![(0, 1)],
            packets: 200_000 * scale,
        },
        Workload { name: "all-to-all", platform: tree.clone(), pairs: all_to_all, packets: 50 * scale },
        Workload {
            name: "incast",
            platform: tree,
            pairs: (1..64).map(|from| (from, 0)).collect(),
            packets: 2000 * scale,
        },
    ]
}

fn parameters() -> PacketParameters {
    let mut parameters = PacketParameters::default();
    parameters.hosts.software = Duration::ZERO;
    parameters.messages = MessageParameters { header: 0, control: 64, trailer: 0, trailer_from: 0 };
    // Large enough that nothing is lost.
    parameters.switch_queue.limit = QueueLimit::Bytes(1 << 40);
    parameters
}

fn lossy(workload: &Workload) {
    let network = PacketNetwork::<RdmaEndpoint>::new(
        workload.platform.clone(),
        parameters(),
        RdmaSettings::infiniband().into(),
    );
    measure("unlimited queues", workload, network);
}

fn lossless(name: &str, workload: &Workload, links: LosslessParameters, settings: RdmaSettings) {
    let wires = LosslessWires::new(workload.platform.clone(), links, 0);
    measure(
        name,
        workload,
        PacketNetwork::over(wires, workload.platform.clone(), parameters(), settings.into()),
    );
}

fn measure<L: LinkLayer>(name: &str, workload: &Workload, mut network: PacketNetwork<RdmaEndpoint, L>) {
    if std::env::args().nth(2).is_some_and(|wanted| !format!("{} {name}", workload.name).contains(&wanted)) {
        return;
    }
    let begin = cpu_nanos();
    for (token, &(source, target)) in workload.pairs.iter().enumerate() {
        let connection = Connection { source, target, class: 0, stream: 0 };
        let (from, to, bytes) = (HostId(source), HostId(target), workload.packets * 4096);
        let transfer = Transfer { connection, ..Transfer::data(from, to, bytes) };
        network.start(Time::ZERO, transfer, Token(token as u64));
    }
    let (mut now, mut reports) = (Time::ZERO, Vec::new());
    while let Some(at) = network.next(now) {
        now = at;
        network.collect(now, &mut reports);
    }
    let nanos = (cpu_nanos() - begin) as f64;
    let packets = workload.packets * workload.pairs.len() as u64;
    let crossings: u64 = network.link_counts().map(|(_, counts)| counts.frames).sum();
    let (each, crossing) = (nanos / packets as f64, nanos / crossings as f64);
    println!("{:12} {name:22} {packets:>9} {crossings:>11} {each:>10.0} {crossing:>12.1}", workload.name);
}

/// CPU time of this process.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|text| text.parse().ok()).expect("a number")
}
