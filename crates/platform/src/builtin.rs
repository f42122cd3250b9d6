//! Platforms that come with mpirage. Each is a text a user could have written; the parametric ones
//! are written here, for the sizes asked for.
//!
//! All of them are made of the same parts, so that only the topology differs: hosts of one core of
//! 10 Gflop/s, cables of 1 Gbit/s and 50 µs, split duplex, and a loopback of 10 GB/s.

use crate::error::PlatformError;
use crate::suggest::{closest, did_you_mean};
use crate::toml::NODE_KEYS;

/// A built-in platform, for lists and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What to write, such as `torus:XxYxZ`.
    pub usage: &'static str,
    /// A description for users.
    pub meaning: &'static str,
}

/// All of them.
pub const BUILTINS: [Builtin; 7] = [
    Builtin { usage: "cluster:N", meaning: "N hosts on one switch" },
    Builtin {
        usage: "fat-tree:AxB",
        meaning: "fat tree: A hosts per leaf switch, B leaf switches; AxBxC has a third level; \
                  every switch has as many cables up as down",
    },
    Builtin { usage: "torus:XxYxZ", meaning: "torus with axes of these sizes, as many as you like" },
    Builtin {
        usage: "dragonfly:GxCxRxN",
        meaning: "dragonfly of G groups of C chassis of R routers of N hosts",
    },
    Builtin { usage: "full:N", meaning: "N hosts, one cable per pair" },
    Builtin {
        usage: "griffon",
        meaning: "Grid'5000 griffon: 92 hosts in cabinets of 33, 27 and 32, 10 Gbit/s between cabinets",
    },
    Builtin {
        usage: "gdx",
        meaning: "Grid'5000 gdx: 312 hosts in 36 cabinets, two per switch, 1 Gbit/s between switches",
    },
];

const GRIFFON: &str = include_str!("../../../platforms/griffon.toml");
const GDX: &str = include_str!("../../../platforms/gdx.toml");

const PARTS: &str = "\
speed = \"10Gf\"
bandwidth = \"1Gbps\"
latency = \"50us\"
loopback = { bandwidth = \"10GBps\", latency = \"200ns\" }
";

/// The inside of hosts of built-in platforms, if an option asks for it: two sockets of AMD's EPYC 7742, as far as
/// measurements are public. Memory: STREAM triad of ARCHER2's nodes, 219 GB/s. Sockets: what ARCHER2's documentation expects.
/// Latency and copies in caches: shared memory of libfabric (sm2) on an EPYC, 0.24 us and 0.66 us with 4 KiB; the other socket
/// is further by one cache line's way, 220 ns against 25 ns. Copies from memory: 16 GB/s both ways between sockets (UCX).
const NODE: [(&str, &str); 8] = [
    ("memory-bandwidth", "110GBps"),
    ("socket-bandwidth", "63GBps"),
    ("latency", "240ns"),
    ("socket-latency", "435ns"),
    ("copy-bandwidth", "8GBps"),
    ("cache", "256KiB"),
    ("cache-bandwidth", "20GBps"),
    ("fragment", "32KiB"),
];

/// The text of a built-in, or nothing when `spec` does not name one. A size that is not written is
/// the number of ranks.
pub(crate) fn text(spec: &str, ranks: u32) -> Option<Result<String, PlatformError>> {
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
    let text = sizes.and_then(|sizes| match (name, size) {
        ("griffon", None) => Ok(GRIFFON.to_owned()),
        ("gdx", None) => Ok(GDX.to_owned()),
        (name, _) => parametric(name, &sizes),
    });
    let text = text.and_then(|text| match options {
        Some(options) => with_options(text, name, options),
        None => Ok(text),
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

/// What to say about a name that is neither a built-in nor a file.
pub(crate) fn unknown(spec: &str) -> PlatformError {
    let name = spec.split(':').next().unwrap_or_default();
    let all: Vec<_> = BUILTINS.iter().map(|builtin| builtin.usage).collect();
    let known = format!("built-in are {}", all.join(", "));
    let help = match closest(name, BUILTINS.iter().map(base_name)) {
        Some(meant) => format!("did you mean `{meant}`? {known}"),
        None => known,
    };
    PlatformError::new(format!("there is no platform `{spec}`: no such file, and no built-in of that name"))
        .help(help)
}

/// `cores=32,sockets=2`: the cores of a host, and keys of the table `[node]`.
fn with_options(mut text: String, name: &str, options: &str) -> Result<String, String> {
    let mut node = Vec::new();
    for option in options.split(',') {
        let (key, value) = option.split_once('=').ok_or_else(|| {
            format!("`{option}` is no option; write `KEY=VALUE`, as in `cores=32` or `sockets=2`")
        })?;
        match key {
            "cores" if !matches!(name, "griffon" | "gdx") => text.push_str(&format!("cores = {value}\n")),
            key if NODE_KEYS.contains(&key) => node.push((key, value)),
            _ => return Err(unknown_option(key)),
        }
    }
    let assumed = NODE.iter().filter(|(key, _)| !node.iter().any(|(given, _)| given == key));
    let lines = assumed.chain(&node).map(|&(key, value)| format!("{key} = {}\n", quoted(value)));
    if !node.is_empty() {
        text.push_str("\n[node]\n");
        text.extend(lines);
    }
    Ok(text)
}

fn unknown_option(key: &str) -> String {
    let known = std::iter::once("cores").chain(NODE_KEYS);
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
        ("fat-tree", _) => format!("down = {list}\n"),
        ("torus", _) => format!("dimensions = {list}\n"),
        ("dragonfly", [groups, chassis, routers, nodes]) => {
            format!("groups = {groups}\nchassis = {chassis}\nrouters = {routers}\nnodes = {nodes}\n")
        }
        ("griffon" | "gdx", _) => return Err("its size is what it is".to_owned()),
        (_, sizes) => return Err(format!("it is described by another number of sizes than {}", sizes.len())),
    };
    Ok(format!("name = \"{name}\"\n\n[{name}]\n{shape}{PARTS}"))
}
