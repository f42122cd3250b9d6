//! Placement of ranks on hosts, in the options of MPI launchers: `-H`, host files, `--map-by`, `--ppn`.

use std::path::Path;

use mpirage_platform::Platform;
use mpirage_scenario::{Bind, Mapping, Placement, PlacementError, Slots};

use crate::failure::{Failure, usage};
use crate::machine::MachineRequest;

/// The host of each rank.
pub fn place(request: &MachineRequest, platform: &Platform, ranks: u32) -> Result<Placement, Failure> {
    let mut listed = Vec::new();
    for host in &request.host {
        listed.push(parse_slots(host).map_err(usage)?);
    }
    if let Some(file) = &request.hostfile {
        listed.extend(read_hostfile(file, platform)?);
    }
    place_on(request, platform, ranks, &listed, request.ppn)
}

/// The same on these hosts.
pub fn place_on(
    request: &MachineRequest,
    platform: &Platform,
    ranks: u32,
    listed: &[Slots],
    per_node: Option<u32>,
) -> Result<Placement, Failure> {
    let mapping = match request.map_by.split(':').next().unwrap_or_default() {
        "slot" | "core" | "hwthread" => Mapping::BySlot,
        "numa" => Mapping::ByNuma,
        "socket" | "package" => Mapping::BySocket,
        "node" => Mapping::ByNode,
        other => return Err(usage(format!("--map-by {other}: expected slot, core, numa, socket or node"))),
    };
    let bind = match request.bind.split(':').next().unwrap_or_default() {
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

fn read_hostfile(file: &Path, platform: &Platform) -> Result<Vec<Slots>, Failure> {
    let name = file.display();
    let text = mpirage_files::read_text(file, mpirage_files::LONGEST_TEXT)
        .map_err(|error| usage(format!("--hostfile: {error}")))?;
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let bad = |problem: String| usage(format!("{name}:{}: {problem}", number + 1));
        let slots = match whole_line(line, platform) {
            Some(slots) => Some(slots),
            None => parse_line(line).map_err(bad)?,
        };
        let unknown = slots.iter().find(|slots| platform.find_host(&slots.host).is_none());
        if let Some(Slots { host, .. }) = unknown {
            return Err(bad(PlacementError::unknown_host(platform, host).to_string()));
        }
        hosts.extend(slots);
    }
    if hosts.is_empty() {
        return Err(usage(format!(
            "--hostfile: {name} has no host; write one per line, such as node-0 slots=4"
        )));
    }
    Ok(hosts)
}

/// A line that is the name of a host, or that and `:SLOTS`. Names in SimGrid's files may contain spaces and any other character.
fn whole_line(line: &str, platform: &Platform) -> Option<Slots> {
    let known = |name: &str| platform.find_host(name).is_some();
    let line = line.trim();
    if known(line) {
        return Some(Slots { host: line.to_owned(), slots: None });
    }
    let (host, slots) = line.rsplit_once(':').filter(|(host, _)| known(host))?;
    Some(Slots { host: host.to_owned(), slots: Some(slots.parse().ok()?) })
}

/// A line of words: `NAME`, `NAME:SLOTS` or `NAME slots=SLOTS`; none if there is nothing but a comment.
fn parse_line(line: &str) -> Result<Option<Slots>, String> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let Some(host) = words.next() else { return Ok(None) };
    let mut slots = parse_slots(host)?;
    for word in words {
        let (key, count) = word.split_once('=').unwrap_or((word, ""));
        match (key, count.parse()) {
            ("slots", Ok(count)) => slots.slots = Some(count),
            // Open MPI's limit for more ranks than slots, which mpirage never places.
            ("max_slots" | "max-slots", Ok(_)) => {}
            _ => return Err(format!("`{word}` is not of the form slots=N")),
        }
    }
    Ok(Some(slots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_of_hosts_or_words() {
        let text = "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
                    <host id=\"node one\" speed=\"1Gf\"/><host id=\"b#1\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>\
                    <link id=\"l\" bandwidth=\"1GBps\"/>\
                    <route src=\"node one\" dst=\"b#1\"><link_ctn id=\"l\"/></route>\
                    <route src=\"node one\" dst=\"c\"><link_ctn id=\"l\"/></route>\
                    <route src=\"c\" dst=\"b#1\"><link_ctn id=\"l\"/></route></zone></platform>";
        let platform = Platform::from_text("p.xml", text).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(
            &mut file,
            b"# hosts\n node one\nnode one:3\nb#1\nc slots=2 # two\n\nc:1\n",
        )
        .unwrap();
        let hosts = read_hostfile(file.path(), &platform).map_err(|_| "refused").unwrap();
        let read: Vec<_> = hosts.iter().map(|slots| (slots.host.as_str(), slots.slots)).collect();
        let expected =
            [("node one", None), ("node one", Some(3)), ("b#1", None), ("c", Some(2)), ("c", Some(1))];
        assert_eq!(read, expected);
        std::io::Write::write_all(&mut file, b"node two\n").unwrap();
        assert!(read_hostfile(file.path(), &platform).is_err());
    }
}
