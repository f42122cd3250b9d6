//! Platforms that come with mpirage. Each is a text a user could have written; the parametric ones
//! are written here, for the sizes asked for.
//!
//! Without options, all of them are made of the same parts, so that only the topology differs: hosts of one core like that of the machine
//! that measures, split duplex, a loopback of 10 GB/s, and cables of the network that the model is for; without one, cables of 1 Gbit/s and
//! 50 µs. Options give cores, a network (`net=hdr200`) and the inside of hosts.

use crate::error::PlatformError;
use crate::load::NetworkNames;
use crate::preset::NetworkPreset;
use crate::suggest::{closest, did_you_mean};
use crate::toml::NODE_KEYS;

/// A built-in platform, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The text that users write, such as `torus:XxYxZ`.
    pub usage: &'static str,
    /// A description for users.
    pub meaning: &'static str,
    /// The file of a machine that exists, or of nodes of a kind, of which users may ask for another number.
    file: Option<&'static str>,
}

impl Builtin {
    const fn shape(usage: &'static str, meaning: &'static str) -> Builtin {
        Builtin { usage, meaning, file: None }
    }

    const fn machine(name: &'static str, meaning: &'static str, file: &'static str) -> Builtin {
        Builtin { usage: name, meaning, file: Some(file) }
    }

    /// Does its file describe nodes of a kind?
    fn is_sized(&self) -> bool {
        self.usage.contains(':')
    }
}

/// The text of a machine's file.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../../platforms/", $name, ".toml"))
    };
}

/// All of them: shapes, then machines.
pub const BUILTINS: [Builtin; 25] = [
    Builtin::shape("cluster:N", "N hosts on one switch"),
    Builtin::shape(
        "fat-tree:AxB",
        "fat tree: A hosts per leaf switch, B leaf switches; AxBxC has a third level; every switch has as many cables up as down",
    ),
    Builtin::shape("torus:XxYxZ", "torus with axes of these sizes, as many as you like"),
    Builtin::shape("dragonfly:GxCxRxN", "dragonfly of G groups of C chassis of R routers of N hosts"),
    Builtin::shape(
        "dragonfly-plus:GxLxSxN",
        "Dragonfly+ of G groups of L leaf switches of N hosts, each connected to S spines; each spine has a cable to every other group",
    ),
    Builtin::shape("full:N", "N hosts, one cable per pair"),
    Builtin::machine(
        "dgx-a100:N",
        "N nodes of eight A100, each a host: NVLink inside, rails of HDR 200 outside",
        file!("dgx-a100"),
    ),
    Builtin::machine(
        "dgx-h100:N",
        "N nodes of eight H100, each a host: NVLink inside, rails of NDR 400 outside",
        file!("dgx-h100"),
    ),
    Builtin::machine(
        "gb200-nvl72:N",
        "N racks of 72 Blackwell GPUs, each a host: NVLink inside, rails of NDR 400 outside",
        file!("gb200-nvl72"),
    ),
    Builtin::machine(
        "gh200:N",
        "N nodes of four GH200, each a host, as in Alps: NVLink inside, Slingshot 11 outside",
        file!("gh200"),
    ),
    Builtin::machine(
        "aurora",
        "ALCF Aurora: 10,624 hosts of 104 cores, dragonfly, Slingshot 11",
        file!("aurora"),
    ),
    Builtin::machine(
        "frontera",
        "TACC Frontera: 8,008 hosts of 56 cores, fat tree, InfiniBand HDR",
        file!("frontera"),
    ),
    Builtin::machine(
        "frontier",
        "OLCF Frontier: 9,472 hosts of 64 cores, dragonfly, Slingshot 11",
        file!("frontier"),
    ),
    Builtin::machine(
        "frontier-gcds",
        "OLCF Frontier's accelerators: 75,776 hosts, eight GCDs of MI250X per node, two per interface",
        file!("frontier-gcds"),
    ),
    Builtin::machine(
        "fugaku",
        "RIKEN Fugaku: 158,976 hosts of 48 cores, six-dimensional torus, Tofu D",
        file!("fugaku"),
    ),
    Builtin::machine(
        "jupiter",
        "Jülich JUPITER, Booster: 6,000 hosts of 288 cores, Dragonfly+, four NDR200 interfaces",
        file!("jupiter"),
    ),
    Builtin::machine(
        "leonardo",
        "CINECA Leonardo, Booster: 3,420 hosts of 32 cores, Dragonfly+, four HDR100 interfaces",
        file!("leonardo"),
    ),
    Builtin::machine(
        "leonardo-dcgp",
        "CINECA Leonardo, CPU part: 1,248 hosts of 112 cores, Dragonfly+, HDR100",
        file!("leonardo-dcgp"),
    ),
    Builtin::machine(
        "lumi-c",
        "CSC LUMI-C: 2,048 hosts of 128 cores, dragonfly, Slingshot 11",
        file!("lumi-c"),
    ),
    Builtin::machine(
        "marenostrum5-gpp",
        "BSC MareNostrum 5, CPU part: 6,480 hosts of 112 cores, fat tree, half an NDR200 interface",
        file!("marenostrum5-gpp"),
    ),
    Builtin::machine(
        "perlmutter-cpu",
        "NERSC Perlmutter, CPU part: 3,072 hosts of 128 cores, dragonfly, Slingshot 11",
        file!("perlmutter-cpu"),
    ),
    Builtin::machine(
        "summit",
        "OLCF Summit: 3,564 hosts of 42 cores, fat tree, two rails of InfiniBand EDR",
        file!("summit"),
    ),
    Builtin::machine("theta", "ALCF Theta: 3,456 hosts of 64 cores, dragonfly, Aries", file!("theta")),
    Builtin::machine(
        "griffon",
        "Grid'5000 griffon: 92 hosts in cabinets of 33, 27 and 32, 10 Gbit/s between cabinets",
        file!("griffon"),
    ),
    Builtin::machine(
        "gdx",
        "Grid'5000 gdx: 312 hosts in 36 cabinets, two per switch, 1 Gbit/s between switches",
        file!("gdx"),
    ),
];

/// The cables of built-in platforms for which neither the user nor the model names a network.
const CABLE: [(&str, &str); 2] = [("bandwidth", "\"1Gbps\""), ("latency", "\"50us\"")];
/// Messages within a host, where neither an option nor the network says anything.
const LOOPBACK: (&str, &str) = ("loopback", "{ bandwidth = \"10GBps\", latency = \"200ns\" }");

/// A built-in as a file.
pub(crate) struct Text {
    pub text: String,
    /// Whether its cables are assumed, because no option describes them.
    pub assumed: bool,
}

/// The inside of hosts of built-in platforms, if an option asks for it: two sockets of AMD's EPYC 7742, as far as
/// measurements are public. Memory: STREAM triad of ARCHER2's nodes, 219 GB/s. Sockets: what ARCHER2's documentation expects.
/// Latency and copies in caches: shared memory of libfabric (sm2) on an EPYC, 0.24 us and 0.66 us with 4 KiB; the other socket
/// is further by one cache line's way, 220 ns against 25 ns. Copies from memory: 16 GB/s both ways between sockets (UCX).
const NODE: [(&str, &str); 8] = [
    ("memory-bandwidth", "110GBps"),
    ("socket-bandwidth", "63GBps"),
    ("memory-latency", "240ns"),
    ("socket-latency", "435ns"),
    ("copy-bandwidth", "8GBps"),
    ("cache", "256KiB"),
    ("cache-bandwidth", "20GBps"),
    ("fragment", "32KiB"),
];

/// The text of a built-in, or nothing when `spec` does not name one. A size that is not written is
/// the number of ranks. `net` are networks that are not named in it.
pub(crate) fn text(spec: &str, ranks: u32, net: NetworkNames<'_>) -> Option<Result<Text, PlatformError>> {
    let (shape, options) = match spec.split_once(',') {
        Some((shape, options)) => (shape, Some(options)),
        None => (spec, None),
    };
    let (name, size) = match shape.split_once(':') {
        Some((name, size)) => (name, Some(size)),
        None => (shape, None),
    };
    let usage = usage_of(name)?;
    let sizes = match (size, ranks) {
        (None, ranks) => Ok(vec![ranks.max(1)]),
        (Some(size), _) => sizes(size),
    };
    let options = Options::parse(options, net);
    let text = sizes.and_then(|sizes| match (usage.file, size) {
        (Some(file), size) if usage.is_sized() => match (size, sizes.as_slice()) {
            (None, _) => options?.of_machine(&of_nodes(file, ranks.div_ceil(devices_of(file)).max(1))),
            (Some(_), [nodes]) => options?.of_machine(&of_nodes(file, *nodes)),
            (Some(_), _) => Err("it has one size, its nodes".to_owned()),
        },
        (Some(file), None) => options?.of_machine(file),
        (Some(_), Some(_)) => Err("its size is what it is".to_owned()),
        (None, _) => Ok(options?.of_shape(&parametric(name, &sizes)?)),
    });
    Some(text.map_err(|problem| {
        PlatformError::new(format!("`{spec}`: {problem}"))
            .help(format!("write `{}`: {}", usage.usage, usage.meaning))
    }))
}

fn usage_of(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| base_name(builtin) == name)
}

fn base_name(builtin: &Builtin) -> &'static str {
    builtin.usage.split(':').next().unwrap_or_default()
}

/// The error for a name that is neither a built-in nor a file.
pub(crate) fn unknown(spec: &str) -> PlatformError {
    let name = spec.split(':').next().unwrap_or_default();
    let all: Vec<_> = BUILTINS.iter().map(|builtin| builtin.usage).collect();
    let known = format!("built-in are {}", all.join(", "));
    if NetworkPreset::names().any(|network| network == spec) {
        return PlatformError::new(format!("`{spec}` is a network, not a platform"))
            .help(format!("name a platform with this network: `cluster:N,net={spec}`; {known}"));
    }
    let help = match closest(name, BUILTINS.iter().map(base_name)) {
        Some(meant) => format!("did you mean `{meant}`? {known}"),
        None => known,
    };
    PlatformError::new(format!("there is no platform `{spec}`: no such file, and no built-in of that name"))
        .help(help)
}

/// Options of a built-in: `cores=32,net=hdr200,sockets=2`.
#[derive(Default)]
struct Options<'o> {
    net: NetworkNames<'o>,
    /// Keys of the shape's own table.
    shape: Vec<(&'o str, &'o str)>,
    /// Keys of the table `[node]`.
    node: Vec<(&'o str, &'o str)>,
}

/// Keys of the shape's table that options may give.
const SHAPE_KEYS: [&str; 8] = [
    "cores",
    "speed",
    "bandwidth",
    "latency",
    "interfaces",
    "interface-policy",
    "interface-switches",
    "interface-striping",
];

impl<'o> Options<'o> {
    fn parse(text: Option<&'o str>, net: NetworkNames<'o>) -> Result<Options<'o>, String> {
        let mut options = Options { net, ..Options::default() };
        for option in text.iter().flat_map(|text| text.split(',')) {
            let (key, value) = option.split_once('=').ok_or_else(|| {
                format!("`{option}` is no option; write `KEY=VALUE`, as in `cores=32` or `net=hdr200`")
            })?;
            match key {
                "net" if options.net.named.is_some() => return Err("two networks are named".to_owned()),
                "net" => options.net.named = Some(value),
                key if SHAPE_KEYS.contains(&key) => options.shape.push((key, value)),
                key if NODE_KEYS.contains(&key) => options.node.push((key, value)),
                _ => return Err(unknown_option(key)),
            }
        }
        Ok(options)
    }

    /// A machine whose hosts and cables options cannot change.
    fn of_machine(&self, text: &str) -> Result<Text, String> {
        match (self.net.named, self.shape.first()) {
            (Some(_), _) => Err("its network is known and cannot be another".to_owned()),
            (None, Some((key, _))) => {
                Err(format!("there is no option `{key}`; its hosts and cables are known"))
            }
            (None, None) => Ok(Text { text: format!("{text}{}", self.inside()), assumed: false }),
        }
    }

    /// A shape with hosts and cables.
    fn of_shape(&self, shape: &str) -> Text {
        let given = |key: &str| self.shape.iter().any(|(name, _)| *name == key);
        let assumed = self.net.named.is_none() && !given("bandwidth") && !given("latency");
        let net = self.net.named.or(self.net.assumed.filter(|_| assumed));
        let cable: &[(&str, &str)] = if net.is_none() { &CABLE } else { &[] };
        let usual =
            cable.iter().filter(|(key, _)| !given(key)).chain(has_no_loopback(net).then_some(&LOOPBACK));
        let usual: String = usual.map(|(key, value)| format!("{key} = {value}\n")).collect();
        let own: String =
            self.shape.iter().map(|(key, value)| format!("{key} = {}\n", quoted(value))).collect();
        let net = net.map_or_else(String::new, |net| format!("net = {net:?}\n"));
        Text { text: format!("{net}{shape}{usual}{own}{}", self.inside()), assumed }
    }

    /// The table `[node]`, if an option belongs to it.
    fn inside(&self) -> String {
        if self.node.is_empty() {
            return String::new();
        }
        let given = |key: &str| self.node.iter().any(|(given, _)| *given == key);
        // A family says what is not given.
        let usual: &[(&str, &str)] = if given("family") { &[] } else { &NODE };
        let assumed = usual.iter().filter(|(key, _)| !given(key));
        let lines = assumed.chain(&self.node).map(|&(key, value)| format!("{key} = {}\n", quoted(value)));
        format!("\n[node]\n{}", lines.collect::<String>())
    }
}

/// Does a network, if there is one, say nothing about messages within a host?
fn has_no_loopback(net: Option<&str>) -> bool {
    net.and_then(|net| NetworkPreset::named(net).ok()).is_none_or(|preset| preset.loopback.is_none())
}

fn unknown_option(key: &str) -> String {
    let known = ["net"].into_iter().chain(SHAPE_KEYS).chain(NODE_KEYS);
    let help = did_you_mean(key, known.collect::<Vec<_>>()).unwrap_or_default();
    format!("there is no option `{key}`; {help}")
}

/// Integers as they are, everything else as a string.
fn quoted(value: &str) -> String {
    match value.parse::<u32>() {
        Ok(number) => number.to_string(),
        Err(_) => format!("{value:?}"),
    }
}

/// The devices of each node that a file describes.
fn devices_of(file: &str) -> u32 {
    let devices = file.lines().find_map(|line| line.strip_prefix("devices = ")?.parse().ok());
    devices.unwrap_or(1)
}

/// A file with another number of nodes.
fn of_nodes(file: &str, nodes: u32) -> String {
    let line = |line: &str| match line.split_once(" = ") {
        Some((key @ ("nodes" | "hosts"), _)) => format!("{key} = {nodes}\n"),
        _ => format!("{line}\n"),
    };
    file.lines().map(line).collect()
}

/// `4x4x2`
fn sizes(text: &str) -> Result<Vec<u32>, String> {
    let size = |text: &str| text.parse().ok().filter(|size| *size > 0);
    let sizes: Option<Vec<u32>> = text.split('x').map(size).collect();
    sizes.ok_or_else(|| format!("`{text}` is not a size; sizes are positive integers joined by `x`"))
}

fn parametric(name: &str, sizes: &[u32]) -> Result<String, String> {
    let list = format!("{sizes:?}");
    let shape = match (name, sizes) {
        ("cluster" | "full", [hosts]) => format!("hosts = {hosts}\n"),
        ("fat-tree", [hosts]) => {
            return Err(format!(
                "a fat tree has at least two levels: `fat-tree:AxB` has A hosts per leaf switch and B leaf switches; `cluster:{hosts}` has \
                 one switch"
            ));
        }
        ("fat-tree", _) => format!("down = {list}\n"),
        ("torus", _) => format!("dimensions = {list}\n"),
        ("dragonfly", [groups, chassis, routers, nodes]) => {
            format!("groups = {groups}\nchassis = {chassis}\nrouters = {routers}\nnodes = {nodes}\n")
        }
        ("dragonfly-plus", [groups, leaves, spines, nodes]) => {
            format!("groups = {groups}\nleaves = {leaves}\nspines = {spines}\nnodes = {nodes}\n")
        }
        (_, sizes) => return Err(format!("it is described by another number of sizes than {}", sizes.len())),
    };
    Ok(format!("name = \"{name}\"\n\n[{name}]\n{shape}"))
}
