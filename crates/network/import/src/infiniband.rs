//! The output of `ibnetdiscover`: every switch and channel adapter with its ports, their width and speed.
//!
//! ```text
//! Switch  36 "S-0002c90200404a60"     # "leaf1" enhanced port 0 lid 2 lmc 0
//! [1]  "H-0002c9030000a1b2"[1](2c9030000a1b3)    # "n001 HCA-1" lid 3 4xEDR
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::network::{Cables, Device, DeviceKind, Network};
use mpirage_platform::{PlatformError, Source};

/// Gbit/s of one lane after line coding: InfiniBand's rates, of which 8b/10b leaves 80 % up to QDR and 64b/66b 97 % later.
const LANES: [(&str, f64); 9] = [
    ("SDR", 2.0),
    ("DDR", 4.0),
    ("QDR", 8.0),
    ("FDR10", 10.0),
    ("FDR", 14.0625 * 64.0 / 66.0),
    ("EDR", 25.0),
    ("HDR", 50.0),
    ("NDR", 100.0),
    ("XDR", 200.0),
];

/// Switches that reduce data inside the network show an adapter of their own, which is no host.
const AGGREGATION: &str = "Aggregation Node";

/// A switch or an adapter that the file describes.
struct Record<'t> {
    id: &'t str,
    kind: DeviceKind,
    description: &'t str,
    span: Range<usize>,
    ports: Vec<Port<'t>>,
}

/// A port that is connected.
struct Port<'t> {
    number: u32,
    peer: &'t str,
    peer_port: u32,
    /// Bytes per second.
    bandwidth: f64,
    span: Range<usize>,
}

/// Reads the whole fabric.
pub(super) fn fabric(source: &Source<'_>) -> Result<Network, PlatformError> {
    let records = records(source)?;
    let aggregation = |record: &Record<'_>| record.description.contains(AGGREGATION);
    let left_out: HashSet<&str> =
        records.iter().filter(|record| aggregation(record)).map(|record| record.id).collect();
    let mut network = Network::default();
    let mut devices: HashMap<&str, Device> = HashMap::new();
    for record in records.iter().filter(|record| !aggregation(record)) {
        let name = device_name(record, &network);
        let device = network.device(&name, record.kind).ok_or_else(|| {
            source.error(record.span.clone(), format!("`{name}` is the name of a switch and of a host"))
        })?;
        if devices.insert(record.id, device).is_some() {
            return Err(source.error(record.span.clone(), format!("`{}` is described twice", record.id)));
        }
    }
    connect(source, &records, &devices, &left_out, &mut network)?;
    Ok(network)
}

/// A host has the first word of its adapter's description: `n001 HCA-1` and `n001 mlx5_1` are two adapters of one host. A switch
/// has its description, or its number where others have the same.
fn device_name(record: &Record<'_>, network: &Network) -> String {
    let first_word = record.description.split_whitespace().next().unwrap_or(record.id);
    match record.kind {
        DeviceKind::Host => first_word.to_owned(),
        DeviceKind::Switch if record.description.is_empty() => record.id.to_owned(),
        DeviceKind::Switch => match network.find(record.description) {
            Some(_) => record.id.to_owned(),
            None => record.description.to_owned(),
        },
    }
}

/// Every cable stands in the file twice, once for each end.
fn connect(
    source: &Source<'_>,
    records: &[Record<'_>],
    devices: &HashMap<&str, Device>,
    left_out: &HashSet<&str>,
    network: &mut Network,
) -> Result<(), PlatformError> {
    let mut seen: HashMap<(&str, u32), (&str, u32)> = HashMap::new();
    for record in records.iter().filter(|record| !left_out.contains(record.id)) {
        for port in record.ports.iter().filter(|port| !left_out.contains(port.peer)) {
            let wrong = |problem: String| source.error(port.span.clone(), problem);
            let (here, there) = ((record.id, port.number), (port.peer, port.peer_port));
            if seen.insert(here, there).is_some() {
                return Err(wrong(format!("port {} of `{}` stands here twice", port.number, record.id)));
            }
            let Some(&peer) = devices.get(port.peer) else {
                return Err(wrong(format!("this file does not describe `{}`", port.peer))
                    .help("is the file complete? ibnetdiscover lists every device with its ports"));
            };
            match seen.get(&there) {
                Some(back) if *back != here => {
                    return Err(wrong(format!("the other end says that it is connected to `{}`", back.0)));
                }
                Some(_) => {}
                None => network.connect(ordered(devices[record.id], peer, port.bandwidth, network)),
            }
        }
    }
    check_ends(source, records, &seen, left_out)
}

/// Both ends of every cable must have been there.
fn check_ends(
    source: &Source<'_>,
    records: &[Record<'_>],
    seen: &HashMap<(&str, u32), (&str, u32)>,
    left_out: &HashSet<&str>,
) -> Result<(), PlatformError> {
    let known = records.iter().filter(|record| !left_out.contains(record.id));
    for port in known.flat_map(|record| &record.ports).filter(|port| !left_out.contains(port.peer)) {
        if !seen.contains_key(&(port.peer, port.peer_port)) {
            let problem =
                format!("`{}` does not list its end of this cable, port {}", port.peer, port.peer_port);
            return Err(source.error(port.span.clone(), problem).help("is the file complete?"));
        }
    }
    Ok(())
}

/// One cable; a host's end first, so that equal cables of both orders are counted together.
fn ordered(one: Device, other: Device, bandwidth: f64, network: &Network) -> Cables {
    let swap = match (network.kind(one), network.kind(other)) {
        (DeviceKind::Switch, DeviceKind::Host) => true,
        (DeviceKind::Host, DeviceKind::Switch) => false,
        _ => other < one,
    };
    let ends = if swap { [other, one] } else { [one, other] };
    Cables { ends, count: Some(1), bandwidth: Some(bandwidth) }
}

fn records<'t>(source: &Source<'t>) -> Result<Vec<Record<'t>>, PlatformError> {
    let mut records: Vec<Record<'t>> = Vec::new();
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        let text = line.trim_end();
        if let Some(kind) = record_kind(text) {
            records.push(record(text, kind, span.clone()).ok_or_else(|| {
                source.error(span, "a device is written as in: Switch 36 \"S-0002c9…\" # \"name\" …")
            })?);
        } else if text.starts_with('[') {
            let Some(record) = records.last_mut() else {
                return Err(source.error(span, "this port belongs to no device"));
            };
            record.ports.push(port(text, span.clone()).map_err(|problem| source.error(span, problem))?);
        } else if !(text.is_empty() || text.starts_with('#') || is_attribute(text)) {
            return Err(source.error(span, "this is no line of ibnetdiscover"));
        }
    }
    match records.is_empty() {
        true => Err(PlatformError::new(format!("{} describes no device", source.file()))),
        false => Ok(records),
    }
}

/// `vendid=0x2c9`
fn is_attribute(line: &str) -> bool {
    ["vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="]
        .iter()
        .any(|key| line.starts_with(key))
}

fn record_kind(line: &str) -> Option<DeviceKind> {
    match line.split_whitespace().next()? {
        "Switch" => Some(DeviceKind::Switch),
        "Ca" | "Rt" => Some(DeviceKind::Host),
        _ => None,
    }
}

fn record(line: &str, kind: DeviceKind, span: Range<usize>) -> Option<Record<'_>> {
    let mut quoted = line.split('"').skip(1).step_by(2);
    let id = quoted.next()?;
    let description = quoted.next().unwrap_or("").trim();
    Some(Record { id, kind, description, span, ports: Vec::new() })
}

/// `[10] "S-0008f10400410015"[1]  # "name" lid 3 4xEDR`
fn port(line: &str, span: Range<usize>) -> Result<Port<'_>, String> {
    const EXPECTED: &str = "a port is written as in: [1] \"S-0002c9…\"[2] # \"name\" lid 3 4xEDR";
    let bracket = |text: &str| {
        let (number, _) = text.trim_start().strip_prefix('[')?.split_once(']')?;
        number.parse().ok()
    };
    let (before, rest) = line.split_once('"').ok_or(EXPECTED)?;
    let (peer, rest) = rest.split_once('"').ok_or(EXPECTED)?;
    let (number, peer_port) = (bracket(before).ok_or(EXPECTED)?, bracket(rest).ok_or(EXPECTED)?);
    let rate = rest.rsplit_once('"').map_or(rest, |(_, behind)| behind);
    let words = rate.split_whitespace().rev();
    let rate =
        words.filter(|word| word.contains('x')).find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let bandwidth = rate.ok_or("width and speed are missing: 4xEDR or the like")?;
    Ok(Port { number, peer, peer_port, bandwidth: bytes_per_second(bandwidth)?, span })
}

/// `4xEDR` in bytes per second.
fn bytes_per_second(rate: &str) -> Result<f64, String> {
    let wrong = || {
        let known: Vec<_> = LANES.iter().map(|(name, _)| *name).collect();
        format!("`{rate}` is no width and speed; there are 1x, 2x, 4x, 8x and 12x of {}", known.join(", "))
    };
    let (width, speed) = rate.split_once('x').ok_or_else(wrong)?;
    let width = ["1", "2", "4", "8", "12"].into_iter().find(|known| *known == width).ok_or_else(wrong)?;
    let lane = LANES.iter().find(|(name, _)| *name == speed).ok_or_else(wrong)?.1;
    Ok(f64::from(width.parse::<u8>().unwrap_or(1)) * lane * 1e9 / 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_speeds_are_rates() {
        let gigabits = |rate: &str| bytes_per_second(rate).map(|bytes| (bytes * 8e-7).round() / 100.0);
        assert_eq!(
            (gigabits("4xEDR"), gigabits("2xHDR"), gigabits("4xNDR")),
            (Ok(100.0), Ok(100.0), Ok(400.0))
        );
        assert_eq!((gigabits("4xQDR"), gigabits("4xFDR")), (Ok(32.0), Ok(54.55)));
        for bad in ["3xEDR", "4xCDR", "4x", "EDR", "4 EDR"] {
            assert!(bytes_per_second(bad).is_err(), "{bad}");
        }
    }
}
