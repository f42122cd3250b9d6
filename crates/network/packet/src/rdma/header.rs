//! The fields of a packet's header.

/// The kind of packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RdmaKind {
    /// A part of a message.
    Data {
        /// The first packet of its message.
        first: bool,
        /// The last packet of its message.
        last: bool,
    },
    /// All packets before the number have arrived.
    Acknowledgement,
    /// The same, and the packet with the number has not arrived although a later one has.
    SequenceError,
    /// A notification of congestion (CNP of RoCEv2).
    Congestion,
}

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RdmaHeader {
    /// The kind of packet.
    pub kind: RdmaKind,
    /// The packet sequence number. It counts from 0 and never wraps.
    pub number: u64,
}
