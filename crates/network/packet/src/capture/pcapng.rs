//! The blocks of a pcapng file (IETF draft-ietf-opsawg-pcapng), written one after the other.
//!
//! Stamps are nanoseconds of simulated time, so a run begins on 1 January 1970. Numbers are little-endian, as the section
//! header says.
//!
//! The crate `pcap-file` would do this with a vector of options per packet and with older versions of `thiserror` and `syn`.

use std::io::{self, Write};

use mpirage_units::Time;

/// How much of a frame is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapLength(u32);

/// An interface of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId(pub(super) u32);

/// Whether an interface sent a frame or received it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It received the frame.
    Inbound,
    /// It sent the frame.
    Outbound,
}

/// Metadata of a captured frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketInfo {
    pub interface: InterfaceId,
    pub at: Time,
    pub direction: Direction,
    /// Bytes on the wire.
    pub original: u32,
}

/// Writes a section.
#[derive(Debug)]
pub(super) struct PcapngWriter<W> {
    out: W,
    snap: SnapLength,
    /// Frames of each interface.
    received: Vec<u64>,
    /// The last stamp.
    end: u64,
    /// The block under construction: kept, so that blocks cost no allocation.
    block: Vec<u8>,
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// 1.0: two numbers of 16 bits.
const VERSION: [u8; 4] = [1, 0, 0, 0];
/// The section's length is not said.
const LENGTH_UNKNOWN: u64 = u64::MAX;
const LINK_TYPE_ETHERNET: u16 = 1;

const END_OF_OPTIONS: u16 = 0;
const USER_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const TIME_RESOLUTION: u16 = 9;
const PACKET_FLAGS: u16 = 2;
const STATISTICS_END: u16 = 3;
const STATISTICS_RECEIVED: u16 = 4;

const NANOSECONDS: u8 = 9;
const PICOS_PER_NANO: u64 = 1_000;

impl SnapLength {
    /// Ethernet, IP and transport headers, and whatever of the payload fits in.
    pub const HEADERS: SnapLength = SnapLength(128);
    /// Whole frames.
    pub const WHOLE: SnapLength = SnapLength(262_144);

    /// The first `bytes` of a frame.
    pub const fn new(bytes: u32) -> SnapLength {
        SnapLength(bytes)
    }

    /// The most bytes that are kept.
    pub const fn bytes(self) -> u32 {
        self.0
    }
}

impl Default for SnapLength {
    fn default() -> SnapLength {
        SnapLength::HEADERS
    }
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a section.
    pub fn new(out: W, snap: SnapLength) -> io::Result<PcapngWriter<W>> {
        let mut writer = PcapngWriter { out, snap, received: Vec::new(), end: 0, block: Vec::new() };
        writer.begin(SECTION_HEADER);
        writer.put(&BYTE_ORDER_MAGIC.to_le_bytes());
        writer.put(&VERSION);
        writer.put(&LENGTH_UNKNOWN.to_le_bytes());
        writer.option(USER_APPLICATION, concat!("mpirage ", env!("CARGO_PKG_VERSION")).as_bytes());
        writer.end_of_options();
        writer.end()?;
        Ok(writer)
    }

    /// How much of a frame is kept.
    pub fn snap(&self) -> SnapLength {
        self.snap
    }

    /// Describes a further interface.
    pub fn interface(&mut self, name: &str) -> io::Result<InterfaceId> {
        let id = InterfaceId(self.received.len() as u32);
        self.received.push(0);
        self.begin(INTERFACE_DESCRIPTION);
        self.put(&LINK_TYPE_ETHERNET.to_le_bytes());
        self.put(&[0, 0]);
        self.put(&self.snap.0.to_le_bytes());
        self.option(INTERFACE_NAME, name.as_bytes());
        self.option(TIME_RESOLUTION, &[NANOSECONDS]);
        self.end_of_options();
        self.end()?;
        Ok(id)
    }

    /// Writes a frame of which `kept` is the beginning.
    pub fn packet(&mut self, info: &PacketInfo, kept: &[u8]) -> io::Result<()> {
        let nanos = info.at.as_picos() / PICOS_PER_NANO;
        self.received[info.interface.0 as usize] += 1;
        self.end = self.end.max(nanos);
        self.begin(ENHANCED_PACKET);
        self.put(&info.interface.0.to_le_bytes());
        self.stamp(nanos);
        self.put(&(kept.len() as u32).to_le_bytes());
        self.put(&info.original.to_le_bytes());
        self.put(kept);
        self.pad();
        self.option(PACKET_FLAGS, &info.direction.flags().to_le_bytes());
        self.end_of_options();
        self.end()
    }

    /// Writes how many frames each interface had, and returns what all was written to.
    pub fn finish(mut self) -> io::Result<W> {
        for interface in 0..self.received.len() {
            self.statistics(interface)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn statistics(&mut self, interface: usize) -> io::Result<()> {
        let (end, received) = (self.end, self.received[interface]);
        self.begin(INTERFACE_STATISTICS);
        self.put(&(interface as u32).to_le_bytes());
        self.stamp(end);
        let mut halves = [0; 8];
        halves[..4].copy_from_slice(&((end >> 32) as u32).to_le_bytes());
        halves[4..].copy_from_slice(&(end as u32).to_le_bytes());
        self.option(STATISTICS_END, &halves);
        self.option(STATISTICS_RECEIVED, &received.to_le_bytes());
        self.end_of_options();
        self.end()
    }

    /// Begins a block; its length follows when it is known.
    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.put(&kind.to_le_bytes());
        self.put(&[0; 4]);
    }

    /// Writes the block, with its length at both ends.
    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.put(&length);
        self.out.write_all(&self.block)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    /// Fills up the last word.
    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// A stamp is two words, the upper one first.
    fn stamp(&mut self, nanos: u64) {
        self.put(&((nanos >> 32) as u32).to_le_bytes());
        self.put(&(nanos as u32).to_le_bytes());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        // Names of interfaces are the only values that can be long.
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.put(&code.to_le_bytes());
        self.put(&(value.len() as u16).to_le_bytes());
        self.put(value);
        self.pad();
    }

    fn end_of_options(&mut self) {
        self.option(END_OF_OPTIONS, &[]);
    }
}

impl Direction {
    /// The lowest two bits of a packet's flags.
    fn flags(self) -> u32 {
        match self {
            Direction::Inbound => 0b01,
            Direction::Outbound => 0b10,
        }
    }
}
