//! The content of a packet: control chunks, a selective acknowledgement, data chunks.
//!
//! Numbers count from 0 and never wrap. The bytes on the wire (RFC 9260, section 3), without Ethernet and IP:
//!
//! ```text
//! common header   12
//! INIT            20                     COOKIE ECHO   4 + cookie
//! INIT ACK        24 + cookie            COOKIE ACK    4
//! SACK            16 + 4 per gap block
//! DATA            16 + bytes, padded to a multiple of 4
//! ```

use crate::endpoint::{Lane, Segment};

/// The most chunks of data in a packet. More would fit only if they had fewer than 165 bytes each; a limit keeps headers small.
pub(super) const MOST_CHUNKS: usize = 8;
/// The most gap blocks of a SACK.
pub(super) const MOST_GAPS: usize = 8;
/// Bytes of a state cookie.
pub(crate) const COOKIE_BYTES: u32 = 128;

/// A chunk of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Opens an association: the sender's receive window and streams.
    Init(u32, u16),
    /// Answers with a cookie, and the same of its sender.
    InitAck(u32, u16),
    /// Returns the cookie.
    CookieEcho,
    /// The association is open.
    CookieAck,
}

/// Chunks that have arrived beyond a gap. None if `count` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// How far the first of them is above the chunk that is expected next.
    pub offset: u16,
    /// How many there are.
    pub count: u16,
}

/// A selective acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    /// The lowest number of a chunk that has not arrived.
    pub expected: u64,
    /// Bytes that the receiver has room for.
    pub window: u32,
    /// The gap blocks: ranges that have arrived beyond a gap, in order.
    pub gaps: [Gap; MOST_GAPS],
}

/// A message or a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataChunk {
    /// Its number: the TSN.
    pub tsn: u64,
    /// The number of its message in the stream.
    pub message: u32,
    /// Its stream.
    pub lane: Lane,
    /// Bytes of data.
    pub bytes: u16,
    /// Does its message begin with it?
    pub first: bool,
    /// Does its message end with it?
    pub last: bool,
}

/// The chunks of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SctpHeader {
    /// A chunk of the handshake.
    pub control: Option<Control>,
    /// A selective acknowledgement.
    pub sack: Option<Sack>,
    chunks: [DataChunk; MOST_CHUNKS],
    count: u8,
}

const ETHERNET_AND_IP: u32 = 34;
const COMMON_BYTES: u32 = 12;
const DATA_BYTES: u32 = 16;

impl SctpHeader {
    /// The chunks of data.
    pub fn data(&self) -> &[DataChunk] {
        &self.chunks[..usize::from(self.count)]
    }

    /// Bytes of the packet besides data: headers and padding, without Ethernet and IP.
    pub fn overhead(&self) -> u32 {
        let control = self.control.map_or(0, Control::bytes);
        let sack = self.sack.map_or(0, |sack| sack.bytes());
        let data: u32 = self.data().iter().map(|chunk| chunk.bytes_on_wire() - u32::from(chunk.bytes)).sum();
        COMMON_BYTES + control + sack + data
    }

    /// A packet of the handshake.
    pub(super) fn of_control(control: Control) -> SctpHeader {
        SctpHeader { control: Some(control), ..SctpHeader::default() }
    }

    /// Can it take one more chunk of data?
    pub(super) fn has_place(&self) -> bool {
        usize::from(self.count) < MOST_CHUNKS
    }

    pub(super) fn push(&mut self, chunk: DataChunk) {
        self.chunks[usize::from(self.count)] = chunk;
        self.count += 1;
    }

    pub(super) fn into_segment(self) -> Segment<SctpHeader> {
        Segment {
            header: self,
            payload: self.data().iter().map(|chunk| u32::from(chunk.bytes)).sum(),
            header_bytes: ETHERNET_AND_IP + self.overhead(),
            markable: false,
        }
    }
}

impl Control {
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Control::Init(..) => 20,
            Control::InitAck(..) => 24 + COOKIE_BYTES,
            Control::CookieEcho => 4 + COOKIE_BYTES,
            Control::CookieAck => 4,
        }
    }
}

impl Sack {
    /// The gap blocks that it has.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> {
        self.gaps.into_iter().take_while(|gap| gap.count > 0)
    }

    pub(crate) fn bytes(&self) -> u32 {
        16 + 4 * self.gaps().count() as u32
    }
}

impl DataChunk {
    pub(crate) fn bytes_on_wire(&self) -> u32 {
        DATA_BYTES + u32::from(self.bytes).next_multiple_of(4)
    }
}
