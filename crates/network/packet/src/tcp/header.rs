//! The fields of a TCP header.

use mpirage_units::Time;

/// The control bits of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags {
    /// Opens a connection.
    pub syn: bool,
    /// The acknowledgement number counts.
    pub ack: bool,
    /// The last byte of a write.
    pub psh: bool,
    /// Nothing more will be sent.
    pub fin: bool,
    /// The connection is refused or broken.
    pub rst: bool,
    /// A mark of congestion is echoed.
    pub ece: bool,
    /// The congestion window has been reduced.
    pub cwr: bool,
}

/// The most blocks that a selective acknowledgement reports: there is no room for more beside timestamps.
pub const SACK_BLOCKS: usize = 3;

/// A TCP header. Sequence numbers count from the initial one, which is 0 and which SYN takes, and never wrap: the first byte
/// of the stream is number 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader {
    /// The number of the first byte.
    pub sequence: u64,
    /// The number of the byte that the sender of this segment expects next.
    pub acknowledgement: u64,
    /// Bytes beyond `acknowledgement` that the sender of this segment has room for.
    pub window: u64,
    /// Control bits.
    pub flags: TcpFlags,
    /// Blocks that arrived out of order: first byte and length, relative to `acknowledgement`. A block of length 0 is none.
    /// The first block may be one that arrived twice (RFC 2883); the offset of one before `acknowledgement` wraps around.
    pub sack: [(u32, u32); SACK_BLOCKS],
    /// When it was sent (the timestamps option).
    pub timestamp: Time,
    /// The timestamp that it answers.
    pub echo: Time,
}
