//! A capture under way: frames of several interfaces, put in the order of time.
//!
//! A port reports a frame when it decides about it, with the instant at which the frame leaves or has arrived. That may lie
//! in the future of what other ports report later. A capture holds frames back until its owner says that nothing earlier
//! can follow, and then writes them in order; frames of one instant keep the order in which they were reported.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use mpirage_units::Time;

use super::pcapng::{Direction, InterfaceId, PacketInfo, PcapngWriter, SnapLength};
use super::wire::{FrameView, WireHeader};

/// Writes frames into a pcapng file.
///
/// Models of the network cannot return errors, so the first error of the output is kept: frames are ignored from then on, and
/// [`Capture::finish`] returns it.
#[derive(Debug)]
pub struct Capture<W> {
    writer: PcapngWriter<W>,
    /// Frames that wait, the earliest first: their instant, the order of reports, their place in `waiting`.
    order: BinaryHeap<Reverse<(Time, u64, usize)>>,
    waiting: Vec<Waiting>,
    /// Places in `waiting` that can be used again, with their memory.
    free: Vec<usize>,
    reported: u64,
    written_until: Time,
    failure: Option<io::Error>,
}

#[derive(Debug)]
struct Waiting {
    info: PacketInfo,
    kept: Vec<u8>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture.
    pub fn new(out: W, snap: SnapLength) -> io::Result<Capture<W>> {
        Ok(Capture {
            writer: PcapngWriter::new(out, snap)?,
            order: BinaryHeap::new(),
            waiting: Vec::new(),
            free: Vec::new(),
            reported: 0,
            written_until: Time::ZERO,
            failure: None,
        })
    }

    /// Adds an interface, under the name that viewers show. An error is also kept for [`Capture::finish`].
    pub fn interface(&mut self, name: &str) -> io::Result<InterfaceId> {
        self.writer.interface(name).inspect_err(|error| {
            self.failure.get_or_insert_with(|| io::Error::from(error.kind()));
        })
    }

    /// An interface sends or has received a frame at `at`. All flushes so far were up to `at` or an earlier instant.
    pub fn report<H: WireHeader>(
        &mut self,
        at: Time,
        interface: InterfaceId,
        direction: Direction,
        frame: &FrameView<H>,
    ) {
        if self.has_failed() {
            return;
        }
        debug_assert!(
            at >= self.written_until,
            "a frame of {at} after all up to {} are written",
            self.written_until
        );
        let place = self.place();
        let waiting = &mut self.waiting[place];
        waiting.info = PacketInfo { interface, at, direction, original: frame.bytes() };
        frame.write(self.writer.snap().bytes(), &mut waiting.kept);
        self.order.push(Reverse((at, self.reported, place)));
        self.reported += 1;
    }

    /// Writes all frames that are earlier than `until`.
    pub fn flush(&mut self, until: Time) {
        self.written_until = self.written_until.max(until);
        while let Some(&Reverse((at, _, place))) = self.order.peek()
            && at < until
        {
            self.order.pop();
            self.write(place);
        }
    }

    /// Writes what waits and the statistics of all interfaces, and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        while let Some(Reverse((_, _, place))) = self.order.pop() {
            self.write(place);
        }
        match self.failure {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }

    /// Has the output failed? The capture will not be complete.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The number of frames that have been reported.
    pub fn frames(&self) -> u64 {
        self.reported
    }

    fn write(&mut self, place: usize) {
        self.free.push(place);
        let Waiting { info, kept } = &self.waiting[place];
        if self.failure.is_none() {
            self.failure = self.writer.packet(info, kept).err();
        }
    }

    /// A place for a frame that waits.
    fn place(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            let info = PacketInfo {
                interface: InterfaceId(0),
                at: Time::ZERO,
                direction: Direction::Inbound,
                original: 0,
            };
            self.waiting.push(Waiting { info, kept: Vec::new() });
            self.waiting.len() - 1
        })
    }
}
