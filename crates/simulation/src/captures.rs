//! `--pcap`: captures of frames, as files for Wireshark.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use anyhow::Context;
use mpirage_files::OutputFile;
use mpirage_packet::{CaptureRequest, CaptureSpec, CapturedAt, Direction, Named, Resolved, SnapLength};
use mpirage_platform::{LinkId, NetworkPlace, Platform, SwitchPlace};
use mpirage_scenario::Network;

use crate::failure::{Failure, usage};
use crate::machine::Machine;
use crate::outputs::{self, Failures, OutputRequest};

/// Names that an error looks through for one that is meant, at the most: platforms can have millions.
const NAMES: usize = 100_000;

/// The files of captures, which the network writes.
#[derive(Default)]
pub struct Captures {
    files: Vec<SharedFile>,
}

/// A file that the network writes and that is finished here. It is given up when a write fails.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<Option<OutputFile>>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut slot = self.0.borrow_mut();
        let Some(file) = &mut *slot else { return Ok(bytes.len()) };
        match file.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                let text = format!("{}: {error}", file.path().display());
                *slot = None;
                Err(io::Error::new(error.kind(), text))
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Captures {
    /// Opens the files that the user asks for, and says what the network is to capture.
    pub fn open(
        wanted: &OutputRequest,
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
            let file = SharedFile(Rc::new(RefCell::new(Some(outputs::open(spec.file())?))));
            captures.files.push(file.clone());
            let snap = wanted.pcap_snap.map_or(SnapLength::default(), SnapLength::new);
            requests.push(CaptureRequest { at, out: Box::new(io::BufWriter::new(file)), snap });
        }
        Ok((captures, requests))
    }

    /// Gives the files their names, once the network has written them. `written` is the first error of the network.
    pub fn finish(self, written: io::Result<()>, failures: &mut Failures) {
        failures.note(written.context("cannot write a capture").map_err(Failure::from));
        for file in self.files.iter().filter_map(|file| file.0.borrow_mut().take()) {
            let name = file.path().display().to_string();
            failures
                .note(file.finish().with_context(|| format!("cannot write {name}")).map_err(Failure::from));
        }
    }
}

fn place(spec: &CaptureSpec, platform: &Platform) -> Result<CapturedAt, Failure> {
    let find = |name: &str| {
        platform.find_place(name).map(|place| match &place {
            NetworkPlace::Switch(ports) => Named::Switch(place.clone(), ports.len() as u32),
            _ => Named::Whole(place),
        })
    };
    let resolved = spec.place().resolve(find, || platform.place_names(NAMES));
    Ok(match resolved.map_err(|error| usage(format!("--pcap: {error}")))? {
        Resolved::Port(NetworkPlace::Switch(ports), port) => {
            let port = port as usize;
            CapturedAt::Port { links: links_of(&ports[port..=port]), device: links_of(&ports) }
        }
        Resolved::All(place) | Resolved::Port(place, _) => match place {
            NetworkPlace::Host(host) => CapturedAt::Host(host),
            NetworkPlace::Links(links) => {
                CapturedAt::Links(links.into_iter().map(|link| (link, Direction::Outbound)).collect())
            }
            NetworkPlace::Switch(ports) => CapturedAt::Links(links_of(&ports)),
        },
    })
}

fn links_of(ports: &[SwitchPlace]) -> Vec<(LinkId, Direction)> {
    let side =
        |links: &[LinkId], direction| links.iter().map(move |link| (*link, direction)).collect::<Vec<_>>();
    let both = |port: &SwitchPlace| {
        [side(&port.leaving, Direction::Outbound), side(&port.entering, Direction::Inbound)].concat()
    };
    ports.iter().flat_map(both).collect()
}
