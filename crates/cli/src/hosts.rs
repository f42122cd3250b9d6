//! Placement of ranks on hosts, in the options of MPI launchers: `-H`, host files, `--map-by`, `--ppn`.

use std::path::Path;

use mpirage_platform::Platform;
use mpirage_scenario::{Bind, Mapping, Placement, Slots};

use crate::arguments::MachineArguments;
use crate::exit::{Failure, usage};

/// The host of each rank.
pub fn place(arguments: &MachineArguments, platform: &Platform, ranks: u32) -> Result<Placement, Failure> {
    let mut listed = Vec::new();
    for host in &arguments.host {
        listed.push(parse_slots(host).map_err(usage)?);
    }
    if let Some(file) = &arguments.hostfile {
        listed.extend(read_hostfile(file)?);
    }
    place_on(arguments, platform, ranks, &listed, arguments.ppn)
}

/// The same on these hosts.
pub fn place_on(
    arguments: &MachineArguments,
    platform: &Platform,
    ranks: u32,
    listed: &[Slots],
    per_node: Option<u32>,
) -> Result<Placement, Failure> {
    let mapping = match arguments.map_by.split(':').next().unwrap_or_default() {
        "slot" | "core" | "hwthread" => Mapping::BySlot,
        "numa" => Mapping::ByNuma,
        "socket" | "package" => Mapping::BySocket,
        "node" => Mapping::ByNode,
        other => return Err(usage(format!("--map-by {other}: expected slot, core, numa, socket or node"))),
    };
    let bind = match arguments.bind.split(':').next().unwrap_or_default() {
        "core" | "hwthread" | "numa" => Bind::Core,
        "socket" | "package" => Bind::Socket,
        "none" => Bind::None,
        other => return Err(usage(format!("--bind {other}: expected core, numa, socket or none"))),
    };
    let placement = Placement::new(platform, ranks, listed, per_node, mapping).map_err(usage)?;
    Ok(Placement { bind, ..placement })
}

/// Reads `NAME` or `NAME:SLOTS`.
pub fn parse_slots(text: &str) -> Result<Slots, String> {
    match text.rsplit_once(':') {
        Some((host, slots)) => {
            let slots = slots.parse().map_err(|_| format!("{text}: `{slots}` is not a number of slots"))?;
            Ok(Slots { host: host.to_owned(), slots: Some(slots) })
        }
        None => Ok(Slots { host: text.to_owned(), slots: None }),
    }
}

fn read_hostfile(file: &Path) -> Result<Vec<Slots>, Failure> {
    let name = file.display();
    let text = mpirage_input::read_text(file, mpirage_input::LONGEST_TEXT)
        .map_err(|error| usage(format!("--hostfile: {error}")))?;
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(host) = words.next() else { continue };
        let bad = |problem: String| usage(format!("{name}:{}: {problem}", number + 1));
        let mut slots = parse_slots(host).map_err(bad)?;
        for word in words {
            let (key, count) = word.split_once('=').unwrap_or((word, ""));
            match (key, count.parse()) {
                ("slots", Ok(count)) => slots.slots = Some(count),
                // Open MPI's limit for more ranks than slots, which mpirage never places.
                ("max_slots" | "max-slots", Ok(_)) => {}
                _ => return Err(bad(format!("`{word}` is not of the form slots=N"))),
            }
        }
        hosts.push(slots);
    }
    if hosts.is_empty() {
        return Err(usage(format!(
            "--hostfile: {name} has no host; write one per line, such as node-0 slots=4"
        )));
    }
    Ok(hosts)
}
