//! A packet under construction: chunks up to the MTU.

use super::header::{Control, DataChunk, Sack, SctpHeader};
use crate::endpoint::Segment;

/// Chunks, and the bytes that are left for more.
#[derive(Debug)]
pub(super) struct Packet {
    header: SctpHeader,
    left: u32,
}

impl Packet {
    /// An empty packet that has room for `bytes` of chunks.
    pub fn new(bytes: u32) -> Packet {
        Packet { header: SctpHeader::default(), left: bytes }
    }

    /// A packet of the handshake.
    pub fn control(control: Control) -> Segment<SctpHeader> {
        SctpHeader::of_control(control).into_segment()
    }

    /// Adds a SACK if there is room.
    pub fn add_sack(&mut self, sack: &Sack) -> bool {
        let fits = sack.bytes() <= self.left;
        if fits {
            self.left -= sack.bytes();
            self.header.sack = Some(*sack);
        }
        fits
    }

    /// Adds data if there is room.
    pub fn add_data(&mut self, chunk: DataChunk) -> bool {
        let fits = chunk.bytes_on_wire() <= self.left && self.header.has_place();
        if fits {
            self.left -= chunk.bytes_on_wire();
            self.header.push(chunk);
        }
        fits
    }

    pub fn has_data(&self) -> bool {
        !self.header.data().is_empty()
    }

    pub fn has_sack(&self) -> bool {
        self.header.sack.is_some()
    }

    /// The segment, if there is anything in it.
    pub fn finish(self) -> Option<Segment<SctpHeader>> {
        (self.has_data() || self.has_sack()).then(|| self.header.into_segment())
    }
}
