//! The table `[node]`: the inside of hosts.

use super::families;
use super::table::{Entry, Table};
use crate::error::PlatformError;
use crate::node::{CopyModes, Mechanism, NodeLatency, NodeSpec, SingleCopy};
use crate::platform::Platform;
use crate::suggest::did_you_mean;

/// Its keys.
pub(crate) const KEYS: [&str; 22] = [
    "family",
    "sockets",
    "numa",
    "cores-per-socket",
    "memory-bandwidth",
    "core-bandwidth",
    "socket-bandwidth",
    "memory-latency",
    "numa-latency",
    "socket-latency",
    "copy-bandwidth",
    "cache",
    "cache-bandwidth",
    "inline",
    "buffer-latency",
    "fragment",
    "buffer",
    "write-allocate",
    "single-copy",
    "single-copy-from",
    "single-copy-latency",
    "single-copy-bandwidth",
];

/// The keys that only a single copy has.
const SINGLE: [&str; 3] = ["single-copy-from", "single-copy-latency", "single-copy-bandwidth"];
/// Bytes that Open MPI's sm sends within a notice.
const INLINE: u64 = 256;
/// Bytes that Open MPI's sm copies at a time.
const FRAGMENT: u64 = 32 << 10;

/// A description, and the number of cores that it gives to hosts, if it does.
pub(super) struct Read {
    pub node: NodeSpec,
    pub cores: Option<u32>,
}

/// Reads the table.
pub(super) fn read(entry: Entry<'_>) -> Result<Read, PlatformError> {
    let table = entry.table(&KEYS)?;
    if let Some(family) = table.get("family") {
        return families::read(entry, table, family);
    }
    from_table(entry, &table)
}

/// Reads it out of a table, which may lie over that of a family.
pub(super) fn from_table(entry: Entry<'_>, table: &Table<'_>) -> Result<Read, PlatformError> {
    let sockets = table.or("sockets", 1, Entry::count)?;
    let domains_per_socket = table.or("numa", 1, Entry::count)?;
    if sockets.checked_mul(domains_per_socket).is_none_or(|domains| domains > MOST_DOMAINS) {
        return Err(entry.error(format!("a host has more than {MOST_DOMAINS} NUMA domains")));
    }
    let memory_bandwidth = table.need("memory-bandwidth")?.bandwidth()?;
    let node = NodeSpec {
        sockets,
        domains_per_socket,
        memory_bandwidth,
        core_bandwidth: table.or("core-bandwidth", f64::INFINITY, Entry::bandwidth)?,
        socket_bandwidth: socket_bandwidth(table, sockets)?,
        latency: latency(table)?,
        copies: copies(table)?,
    };
    let cores = table.maybe("cores-per-socket", Entry::count)?;
    let total = cores.map(|cores| {
        let too_many = || entry.error("a host has more cores than can be numbered");
        cores.checked_mul(sockets).ok_or_else(too_many)
    });
    Ok(Read { node, cores: total.transpose()? })
}

/// More than any machine has; a limit that keeps tables small.
const MOST_DOMAINS: u32 = 1024;

fn socket_bandwidth(table: &Table<'_>, sockets: u32) -> Result<f64, PlatformError> {
    match table.get("socket-bandwidth") {
        Some(entry) => entry.bandwidth(),
        None if sockets == 1 => Ok(f64::INFINITY),
        None => Err(table
            .error("hosts of several sockets need `socket-bandwidth`")
            .help("write for example `socket-bandwidth = \"60GBps\"`: from one socket to another, in each direction")),
    }
}

/// A missing latency equals that of the next nearer level.
fn latency(table: &Table<'_>) -> Result<NodeLatency, PlatformError> {
    let domain = table.need("memory-latency")?.latency()?;
    let socket = table.or("numa-latency", domain, Entry::latency)?;
    let host = table.or("socket-latency", socket, Entry::latency)?;
    Ok(NodeLatency { domain, socket, host })
}

fn copies(table: &Table<'_>) -> Result<CopyModes, PlatformError> {
    let bandwidth = table.need("copy-bandwidth")?.bandwidth()?;
    let fragment = table.or("fragment", FRAGMENT, Entry::bytes)?;
    if fragment == 0 {
        return Err(table.error("a `fragment` has at least 1 byte"));
    }
    Ok(CopyModes {
        bandwidth,
        cache_bandwidth: table.or("cache-bandwidth", bandwidth, Entry::bandwidth)?,
        cache: table.or("cache", 0, Entry::bytes)?,
        inline: table.or("inline", INLINE, Entry::bytes)?,
        buffer_latency: table.or("buffer-latency", 0.0, Entry::latency)?,
        fragment,
        buffer: table.or("buffer", fragment, Entry::bytes)?,
        write_allocate: table.or("write-allocate", false, Entry::boolean)?,
        single: single_copy(table, bandwidth)?,
    })
}

fn single_copy(table: &Table<'_>, copy_bandwidth: f64) -> Result<Option<SingleCopy>, PlatformError> {
    let mechanism = table.maybe("single-copy", mechanism)?.flatten();
    let Some(mechanism) = mechanism else {
        return match SINGLE.into_iter().find_map(|key| table.get(key)) {
            None => Ok(None),
            Some(entry) => Err(entry
                .error(format!("`{}` means nothing without `single-copy`", entry.key))
                .help("write `single-copy = \"cma\"` or `\"xpmem\"`")),
        };
    };
    Ok(Some(SingleCopy {
        mechanism,
        from: table.or("single-copy-from", mechanism.usual_from(), Entry::bytes)?,
        latency: table.or("single-copy-latency", mechanism.usual_latency(), Entry::latency)?,
        bandwidth: table.or("single-copy-bandwidth", copy_bandwidth, Entry::bandwidth)?,
    }))
}

fn mechanism(entry: Entry<'_>) -> Result<Option<Mechanism>, PlatformError> {
    match entry.text()? {
        "none" => Ok(None),
        "cma" => Ok(Some(Mechanism::Cma)),
        "xpmem" => Ok(Some(Mechanism::Xpmem)),
        other => Err(entry
            .error(format!("`single-copy` cannot be `{other}`"))
            .maybe_help(did_you_mean(other, ["none", "cma", "xpmem"]))),
    }
}

/// Every host must have cores for its sockets.
pub(super) fn check(platform: &Platform, entry: &Entry<'_>, read: &Read) -> Result<(), PlatformError> {
    let Read { node, cores } = read;
    for host in platform.host_kinds() {
        if let Some(cores) = cores.filter(|cores| *cores != host.cores) {
            let message = format!(
                "`cores` of {} is {}, but its sockets have {cores} cores together",
                host.name(),
                host.cores
            );
            return Err(entry.error(message).help("leave out `cores`, or `cores-per-socket`"));
        }
        if !node.divides(host.cores) {
            let message = format!(
                "the {} cores of {} cannot be dealt evenly to {} sockets of {} NUMA domains",
                host.cores,
                host.name(),
                node.sockets,
                node.domains_per_socket
            );
            return Err(entry.error(message).help("write `cores-per-socket`, or `cores` of the hosts"));
        }
    }
    Ok(())
}
