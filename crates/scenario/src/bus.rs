//! `bus`: Dimemas' machine, from a `[model]` table or a file of its own.

use mpirage_call::Collective;
use mpirage_models::{
    BusNode, BusParameters, Exchanged, Fan, FanSize, FanTable, Fans, KINDS, Level, Limit, Links,
};
use mpirage_mpi::{
    CollectiveTimes, Envelope, Gathering, Protocol, ReceiveStartup, Rendezvous, Startup, StartupCost,
};
use mpirage_platform::HostId;
use mpirage_units::Duration;

/// Messages within a node, where nothing is said: 1 us and 4 GB/s.
const WITHIN: (f64, f64) = (1e-6, 4e9);

/// Nodes, buses, and how collectives go.
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    /// Point to point.
    pub network: BusParameters,
    /// Collectives.
    pub collectives: FanTable,
}

impl Bus {
    /// Nodes with a link in and a link out, of this latency and bandwidth, and any number of buses.
    pub(crate) fn on((latency, bandwidth): (f64, f64)) -> Bus {
        let (within_latency, within_bandwidth) = WITHIN;
        let links = Links::Duplex { inputs: Some(1), outputs: Some(1) };
        let node = BusNode { links, latency, within_latency, within_bandwidth, within_buses: None };
        let network = BusParameters { nodes: vec![node], bandwidth, buses: None };
        Bus { network, collectives: FanTable::of_paper() }
    }

    /// A call about a message costs the latency of the caller's node.
    pub(crate) fn shape(&self, protocol: &mut Protocol) {
        let cost = |node: &BusNode| StartupCost {
            within: Duration::from_secs_f64(node.within_latency),
            across: Duration::from_secs_f64(node.latency),
        };
        let hosts = self.network.nodes.iter().map(cost).collect();
        protocol.startup = Some(Startup { hosts, buffer: Duration::ZERO, receives: ReceiveStartup::First });
    }

    /// As a `[model]` table says it, which is the same for all nodes: those of the first.
    pub(crate) fn describe(&self) -> Vec<String> {
        let BusParameters { nodes, bandwidth, buses } = &self.network;
        let node = nodes[0];
        let count = |limit: Limit| limit.unwrap_or(0);
        let mut lines = vec![
            format!("latency = \"{}s\"", node.latency),
            format!("bandwidth = {}", self::bandwidth(*bandwidth)),
            format!("buses = {}", count(*buses)),
        ];
        match node.links {
            Links::HalfDuplex(links) => lines.push(format!("half-duplex-links = {links}")),
            Links::Duplex { inputs, outputs } => lines.extend([
                format!("input-links = {}", count(inputs)),
                format!("output-links = {}", count(outputs)),
            ]),
        }
        lines.extend([
            format!("within-latency = \"{}s\"", node.within_latency),
            format!("within-bandwidth = {}", self::bandwidth(node.within_bandwidth)),
            format!("within-buses = {}", count(node.within_buses)),
            format!("linear-with-root = {}", self.collectives.counts_root()),
            "collectives = [".to_owned(),
        ]);
        lines.extend(KINDS.iter().map(|&kind| {
            let Fans { fan_in, fan_out } = self.collectives.get(kind);
            format!(
                "  {{ operation = \"{kind}\", in = \"{}\", in-size = \"{}\", out = \"{}\", out-size = \"{}\" }},",
                fan_name(fan_in.0),
                size_name(fan_in.1),
                fan_name(fan_out.0),
                size_name(fan_out.1)
            )
        }));
        lines.push("]".to_owned());
        lines
    }
}

/// A bandwidth; TOML writes infinity as `inf`.
fn bandwidth(value: f64) -> String {
    if value.is_infinite() { "inf".to_owned() } else { format!("\"{value}Bps\"") }
}

/// All sends are eager unless they say otherwise or a limit is set; a rendezvous frees its sender when it starts to move.
pub(crate) fn protocol(base: Protocol) -> Protocol {
    Protocol {
        eager_limit: u64::MAX,
        push_limit: u64::MAX,
        envelope: Envelope::AtSend,
        rendezvous: Rendezvous::Departed,
        reduce_seconds_per_byte: 0.0,
        copy_seconds_per_byte: 0.0,
        copy_seconds_per_block: 0.0,
        ..base
    }
}

const FANS: [(&str, &str, Fan); 4] = [
    ("0", "none", Fan::None),
    ("CT", "constant", Fan::Constant),
    ("LIN", "linear", Fan::Linear),
    ("LOG", "logarithmic", Fan::Logarithmic),
];

const SIZES: [(&str, FanSize); 6] = [
    ("CURR", FanSize::Current),
    ("MAX", FanSize::Max),
    ("MIN", FanSize::Min),
    ("MEAN", FanSize::Mean),
    ("2MAX", FanSize::TwiceMax),
    ("S+R", FanSize::Sum),
];

/// A fan by one of its names.
pub(crate) fn fan(name: &str) -> Option<Fan> {
    let name = if name == "CTE" { "CT" } else { name };
    FANS.iter().find(|(short, long, _)| *short == name || *long == name).map(|&(.., fan)| fan)
}

/// A size by its name.
pub(crate) fn size(name: &str) -> Option<FanSize> {
    let name = match name {
        "2*MAX" => "2MAX",
        "SIR" | "S_R" => "S+R",
        other => other,
    };
    SIZES.iter().find(|(known, _)| *known == name).map(|&(_, size)| size)
}

/// A collective by its name, with or without `MPI_`.
pub(crate) fn operation(name: &str) -> Option<Collective> {
    let name = name.strip_prefix("MPI_").unwrap_or(name).to_ascii_lowercase().replace('_', "-");
    KINDS.into_iter().find(|kind| kind.to_string() == name)
}

fn fan_name(fan: Fan) -> &'static str {
    FANS.iter().find(|(.., known)| *known == fan).map_or("0", |&(name, ..)| name)
}

fn size_name(size: FanSize) -> &'static str {
    SIZES.iter().find(|(_, known)| *known == size).map_or("CURR", |&(name, _)| name)
}

/// How long collectives take: within the node that takes longest, then between nodes.
pub(crate) struct BusCollectives {
    bus: Bus,
    hosts: u32,
    /// Ranks on each host; all zero between two collectives.
    ranks: Vec<u32>,
    used: Vec<HostId>,
}

impl BusCollectives {
    pub(crate) fn new(bus: &Bus, hosts: u32) -> BusCollectives {
        BusCollectives { bus: bus.clone(), hosts, ranks: vec![0; hosts as usize], used: Vec::new() }
    }

    fn count(&mut self, hosts: &[HostId]) {
        for &host in hosts {
            let ranks = &mut self.ranks[host.0 as usize];
            if *ranks == 0 {
                self.used.push(host);
            }
            *ranks += 1;
        }
    }
}

impl CollectiveTimes for BusCollectives {
    fn duration(&mut self, gathering: &Gathering<'_>) -> Duration {
        let &Gathering { kind, hosts, member, sent, received } = gathering;
        self.count(hosts);
        let BusCollectives { bus: Bus { network, collectives }, used, ranks, .. } = self;
        let seconds = |level: &Level| collectives.seconds(kind, Exchanged { sent, received }, level);
        let within = used.iter().map(|&host| {
            let &BusNode { within_latency: latency, within_bandwidth: bandwidth, .. } = network.node(host);
            seconds(&Level { members: ranks[host.0 as usize], latency, bandwidth, buses: None })
        });
        let within = within.fold(0.0, f64::max);
        let between = if self.hosts > 1 {
            let latency = network.node(hosts[member]).latency;
            let &mut BusParameters { bandwidth, buses, .. } = network;
            seconds(&Level { members: used.len() as u32, latency, bandwidth, buses })
        } else {
            0.0
        };
        for host in used.drain(..) {
            ranks[host.0 as usize] = 0;
        }
        Duration::from_secs_f64(within + between)
    }
}
