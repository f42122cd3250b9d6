//! `--pcap`: captures of frames, as files for Wireshark.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use anyhow::Context;
use mpirage_outfile::OutputFile;
use mpirage_packet::{CaptureRequest, CaptureSpec, CapturedAt, Direction, Named, Resolved, SnapLength};
use mpirage_platform::{LinkEnd, LinkId, Platform};
use mpirage_scenario::Network;

use crate::arguments::ResultArguments;
use crate::exit::{Failure, usage};
use crate::machine::Machine;
use crate::results::{self, Failures};

/// Names that an error looks through for one that is meant, at the most: platforms can have millions.
const NAMES: usize = 100_000;

/// The files of captures, which the network writes.
#[derive(Default)]
pub struct Captures {
    files: Vec<SharedFile>,
}

/// A file that the network writes and that is finished here.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<Option<OutputFile>>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.borrow_mut() {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Captures {
    /// Opens the files that the user asks for, and says what the network is to capture.
    pub fn open(
        wanted: &ResultArguments,
        machine: &Machine,
    ) -> Result<(Captures, Vec<CaptureRequest>), Failure> {
        if !wanted.pcap.is_empty() && !matches!(machine.model.network, Network::Packet(_)) {
            return Err(usage(format!(
                "--pcap needs --model packet: model {} has no frames",
                machine.model.name
            )));
        }
        let (mut captures, mut requests) = (Captures::default(), Vec::new());
        for text in &wanted.pcap {
            let spec: CaptureSpec = text.parse().map_err(|error| usage(format!("--pcap: {error}")))?;
            let at = place(&spec, &machine.platform)?;
            let file = SharedFile(Rc::new(RefCell::new(Some(results::open(spec.file())?))));
            captures.files.push(file.clone());
            let snap = wanted.pcap_snap.map_or(SnapLength::default(), SnapLength::new);
            requests.push(CaptureRequest { at, out: Box::new(io::BufWriter::new(file)), snap });
        }
        Ok((captures, requests))
    }

    /// Gives the files their names, once the network has written them: `written` is its word.
    pub fn finish(self, written: io::Result<()>, failures: &mut Failures) {
        let complete = failures.note(written.context("cannot write a capture").map_err(Failure::from));
        if complete.is_none() {
            return;
        }
        for file in self.files.iter().filter_map(|file| file.0.borrow_mut().take()) {
            let name = file.path().display().to_string();
            failures
                .note(file.finish().with_context(|| format!("cannot write {name}")).map_err(Failure::from));
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Place {
    Whole(CapturedAt),
    /// The links of each port of a switch.
    Switch(Vec<Vec<(LinkId, Direction)>>),
}

fn place(spec: &CaptureSpec, platform: &Platform) -> Result<CapturedAt, Failure> {
    let find = |name: &str| {
        find(name, platform).map(|place| match &place {
            Place::Whole(_) => Named::Whole(place),
            Place::Switch(ports) => Named::Switch(place.clone(), ports.len() as u32),
        })
    };
    let resolved = spec.place().resolve(find, || names(platform));
    match resolved.map_err(|error| usage(format!("--pcap: {error}")))? {
        Resolved::All(Place::Whole(at)) | Resolved::Port(Place::Whole(at), _) => Ok(at),
        Resolved::All(Place::Switch(ports)) => Ok(CapturedAt::Links(ports.concat())),
        Resolved::Port(Place::Switch(ports), port) => Ok(CapturedAt::Links(ports[port as usize].clone())),
    }
}

/// A host, a link (or both directions of a cable) or a switch.
fn find(name: &str, platform: &Platform) -> Option<Place> {
    if let Some(host) = platform.find_host(name) {
        return Some(Place::Whole(CapturedAt::Host(host)));
    }
    if let Some(switch) = switch_of(name) {
        let ports = switch_ports(platform, switch);
        return (!ports.is_empty()).then_some(Place::Switch(ports));
    }
    let names = [name.to_owned(), format!("{name}_UP"), format!("{name}_DOWN")];
    let links = platform.links().filter(|link| names.contains(&link.name()));
    let links: Vec<_> = links.map(|link| (link.id, Direction::Outbound)).collect();
    (!links.is_empty()).then_some(Place::Whole(CapturedAt::Links(links)))
}

/// `switch-1-0`: the first switch next to hosts.
fn switch_of(name: &str) -> Option<LinkEnd> {
    let (level, position) = name.strip_prefix("switch-")?.split_once('-')?;
    Some(LinkEnd { level: level.parse().ok().filter(|level| *level > 0)?, position: position.parse().ok()? })
}

/// The links of a switch, by the device at the other side of each port.
fn switch_ports(platform: &Platform, switch: LinkEnd) -> Vec<Vec<(LinkId, Direction)>> {
    let mut ports: BTreeMap<LinkEnd, Vec<(LinkId, Direction)>> = BTreeMap::new();
    for link in platform.links() {
        match platform.link_ends(link.id) {
            Some([from, to]) if from == switch => {
                ports.entry(to).or_default().push((link.id, Direction::Outbound))
            }
            Some([from, to]) if to == switch => {
                ports.entry(from).or_default().push((link.id, Direction::Inbound))
            }
            _ => {}
        }
    }
    ports.into_values().collect()
}

fn names(platform: &Platform) -> Vec<String> {
    let hosts = platform.hosts().map(|host| host.name());
    let links = platform.links().map(|link| link.name());
    let switches = platform.links().filter_map(|link| platform.link_ends(link.id)).flatten();
    let switches = switches.filter(|end| end.level > 0);
    let switches = switches.map(|end| format!("switch-{}-{}", end.level, end.position));
    hosts.take(NAMES).chain(links.take(NAMES)).chain(switches.take(NAMES)).collect()
}
