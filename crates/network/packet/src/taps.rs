//! Captures: which ports they watch, and what they write.

use std::io::{self, Write};

use mpirage_platform::{HostId, LinkId};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use crate::capture::{Capture, Direction, FrameView, InterfaceId, SnapLength, WireHeader};
use crate::frame::Frame;
use crate::ids::PortId;
use crate::layer::{Crossing, Layer};

/// Where frames are captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedAt {
    /// Frames that a host sends and receives.
    Host(HostId),
    /// Frames on these links, as seen from the device that is captured.
    Links(Vec<(LinkId, Direction)>),
    /// Frames on the links of one port of a device that has other links too, as seen from it.
    Port {
        /// Those of the port.
        links: Vec<(LinkId, Direction)>,
        /// Those of the whole device.
        device: Vec<(LinkId, Direction)>,
    },
}

/// A capture that is wanted.
pub struct CaptureRequest {
    /// Where.
    pub at: CapturedAt,
    /// The file.
    pub out: Box<dyn Write>,
    /// How much of each frame.
    pub snap: SnapLength,
}

/// A port that a capture watches.
#[derive(Clone, Copy, Debug)]
struct Tap {
    capture: usize,
    interface: InterfaceId,
    direction: Direction,
}

/// All captures of a run.
#[derive(Default)]
pub(crate) struct Taps {
    captures: Vec<(CapturedAt, Capture<Box<dyn Write>>)>,
    by_port: FxHashMap<PortId, Vec<Tap>>,
}

/// A port that a new path has, and where it lies on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathPort<'n> {
    pub port: PortId,
    pub link: LinkId,
    /// The host that sends through it, if it is the first of the path.
    pub sends: Option<HostId>,
    /// The host that receives from it, if it is the last.
    pub receives: Option<HostId>,
    pub name: &'n str,
}

/// Where on its path a frame is: the links before and after the one that it crosses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    before: Option<LinkId>,
    after: Option<LinkId>,
}

impl Step {
    /// Of a frame that has begun to cross a link.
    pub(crate) fn of<H>(frame: &Frame<H>, layer: &impl Layer) -> Step {
        let ports = layer.paths().ports_of(frame.path);
        let link = |at: Option<usize>| at.and_then(|at| ports.get(at)).map(|port| layer.link(*port));
        let hop = usize::from(frame.hop);
        Step { before: link(hop.checked_sub(1)), after: link(Some(hop + 1)) }
    }
}

impl Taps {
    /// Begins a capture.
    pub(crate) fn add(&mut self, request: CaptureRequest) -> io::Result<()> {
        self.captures.push((request.at, Capture::new(request.out, request.snap)?));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    /// A path has this port. True if a capture watches it.
    pub(crate) fn add_port(&mut self, port: PathPort<'_>) -> bool {
        for capture in 0..self.captures.len() {
            for direction in [Direction::Outbound, Direction::Inbound] {
                if self.captures[capture].0.watches(&port, direction) {
                    self.tap(capture, port, direction);
                }
            }
        }
        self.by_port.contains_key(&port.port)
    }

    fn tap(&mut self, capture: usize, port: PathPort<'_>, direction: Direction) {
        let taps = self.by_port.entry(port.port).or_default();
        let is_known = |tap: &Tap| tap.capture == capture && tap.direction == direction;
        if taps.iter().any(is_known) {
            return;
        }
        // An error of the output is reported when the capture is finished.
        if let Ok(interface) = self.captures[capture].1.interface(port.name) {
            taps.push(Tap { capture, interface, direction });
        }
    }

    /// A frame crosses a port that is watched.
    pub(crate) fn report<H: WireHeader>(&mut self, crossing: Crossing, step: Step, frame: &FrameView<H>) {
        let Some(taps) = self.by_port.get(&crossing.port) else { return };
        let is_both = |tap: &Tap| {
            taps.iter().any(|other| other.capture == tap.capture && other.direction != tap.direction)
        };
        for tap in taps {
            // A link for both directions is watched in both: each frame goes one way.
            if is_both(tap) && !self.captures[tap.capture].0.sees(tap.direction, step, frame) {
                continue;
            }
            let at = match tap.direction {
                Direction::Outbound => Some(crossing.starts),
                Direction::Inbound => crossing.arrives,
            };
            if let Some(at) = at {
                self.captures[tap.capture].1.report(at, tap.interface, tap.direction, frame);
            }
        }
    }

    /// Nothing earlier than `now` will be reported.
    pub(crate) fn flush(&mut self, now: Time) {
        self.captures.iter_mut().for_each(|(_, capture)| capture.flush(now));
    }

    /// Completes all files, those after one that failed too. Returns the first error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for (_, capture) in self.captures.drain(..) {
            result = result.and(capture.finish().and_then(|mut out| out.flush()));
        }
        result
    }
}

impl CapturedAt {
    /// Does a frame on a link for both directions cross it in this one, as seen from the device?
    fn sees<H>(&self, direction: Direction, step: Step, frame: &FrameView<H>) -> bool {
        match (self, direction) {
            (CapturedAt::Host(host), Direction::Outbound) => frame.source.host == *host,
            (CapturedAt::Host(host), Direction::Inbound) => frame.target.host == *host,
            (CapturedAt::Links(device) | CapturedAt::Port { device, .. }, Direction::Outbound) => {
                step.before.is_some_and(|link| device.contains(&(link, Direction::Inbound)))
            }
            (CapturedAt::Links(device) | CapturedAt::Port { device, .. }, Direction::Inbound) => {
                step.after.is_some_and(|link| device.contains(&(link, Direction::Outbound)))
            }
        }
    }

    fn watches(&self, port: &PathPort<'_>, direction: Direction) -> bool {
        match self {
            CapturedAt::Links(links) | CapturedAt::Port { links, .. } => {
                links.contains(&(port.link, direction))
            }
            CapturedAt::Host(host) => match direction {
                Direction::Outbound => port.sends == Some(*host),
                Direction::Inbound => port.receives == Some(*host),
            },
        }
    }
}
