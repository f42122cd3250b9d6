//! Frames, and the table of those that are on their way.

use mpirage_units::Time;

use crate::endpoint::Segment;
use crate::ids::{EndId, FrameId, LaneId, PathId};

/// A segment in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<H> {
    pub segment: Segment<H>,
    /// The end that sent it.
    pub sender: EndId,
    pub path: PathId,
    /// The virtual lane of its connection.
    pub lane: LaneId,
    /// Its sequence number among the sender's frames; the numbers wrap.
    pub number: u16,
    /// The link of the path that it crosses or waits for.
    pub hop: u16,
    /// Has a queue marked it?
    pub marked: bool,
    /// Does the link that it crosses lose it?
    pub lost: bool,
    /// When its last byte arrives at the end of the link: where switches cut through, after the first ones.
    pub tail: Time,
}

impl<H> Frame<H> {
    /// Bytes on the wire.
    pub(crate) fn bytes(&self) -> u32 {
        self.segment.payload + self.segment.header_bytes
    }
}

/// All frames that are on their way. Entries are used again, so that sending allocates nothing once the table is large
/// enough. A list of unused entries stands beside the table: prefetching must not read what it prefetches.
#[derive(Debug)]
pub struct Frames<H> {
    table: Vec<Frame<H>>,
    unused: Vec<FrameId>,
}

impl<H: Copy> Frames<H> {
    pub(crate) fn new() -> Frames<H> {
        Frames { table: Vec::new(), unused: Vec::new() }
    }

    pub(crate) fn insert(&mut self, frame: Frame<H>) -> FrameId {
        match self.unused.pop() {
            Some(id) => {
                self.table[id.index()] = frame;
                id
            }
            None => {
                self.table.push(frame);
                FrameId(self.table.len() as u32 - 1)
            }
        }
    }

    pub(crate) fn get(&self, id: FrameId) -> &Frame<H> {
        &self.table[id.index()]
    }

    /// Loads a frame that will be needed soon into the cache.
    pub(crate) fn prefetch(&self, id: FrameId) {
        mpirage_prefetch::fetch(self.get(id));
    }

    pub(crate) fn get_mut(&mut self, id: FrameId) -> &mut Frame<H> {
        &mut self.table[id.index()]
    }

    pub(crate) fn remove(&mut self, id: FrameId) -> Frame<H> {
        self.unused.push(id);
        self.table[id.index()]
    }
}
