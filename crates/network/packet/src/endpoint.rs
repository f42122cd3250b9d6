//! The interface between the network and a transport protocol.
//!
//! An endpoint is one end of a connection. It has no clock, no queue of frames and no timer of its own: its owner says
//! what arrives and when, asks for the next segment, and calls back at the instant that [`Endpoint::timeout`] gives. A test
//! owns two endpoints and the time between them.

use std::fmt::Debug;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::Time;

use crate::capture::WireHeader;

/// A stream of a connection. Bytes of one lane arrive in order; lanes of a protocol that has several do not wait for each
/// other. TCP has lane 0 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u16);

/// The part an end plays in opening the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sends the first segment of the handshake once there is something to send.
    Active,
    /// It answers.
    Passive,
}

/// The segments an endpoint may send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Data and acknowledgements.
    Everything,
    /// Acknowledgements and the like only: the socket has as much data in the host's queue as it may have.
    NoData,
}

/// A segment on its way to the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<H> {
    /// The fields of its header.
    pub header: H,
    /// Bytes of payload.
    pub payload: u32,
    /// Bytes of headers on the wire, from Ethernet's to the transport's with its options.
    pub header_bytes: u32,
    /// May a queue mark it instead of dropping it?
    pub markable: bool,
}

/// Why an endpoint gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing came back after so many retransmissions of one segment.
    Retransmissions(u32),
    /// The other end answered the handshake with a refusal.
    Refused,
}

/// One end of a connection.
pub trait Endpoint: Sized {
    /// The settings shared by all connections.
    type Settings;
    /// The fields of a segment's header.
    type Header: Copy + Debug;
    /// A header as captures show it.
    type OnWire: WireHeader;

    /// The header of a segment as captures show it.
    fn on_wire(settings: &Self::Settings, segment: &Segment<Self::Header>) -> Self::OnWire;

    /// The number of lanes that a connection has; at least one.
    fn lanes(_: &Self::Settings) -> u16 {
        1
    }

    /// Does each write become a message of the protocol, so that two messages must not be one write?
    fn keeps_messages() -> bool {
        false
    }

    /// An end that has not sent anything.
    fn new(settings: &Self::Settings, role: Role) -> Self;

    /// The application writes `bytes` into the send buffer; never more than [`Endpoint::room`].
    fn write(&mut self, now: Time, lane: Lane, bytes: u64);

    /// The number of bytes that the application can write now. Zero until the buffer is free enough that the system
    /// would wake the writer.
    fn room(&self) -> u64;

    /// A segment has arrived; `marked` if a queue has marked it.
    fn receive(&mut self, now: Time, segment: &Segment<Self::Header>, marked: bool);

    /// The next segment that the protocol sends at `now`, if any. Called again until it gives none.
    fn transmit(&mut self, now: Time, permission: Permission) -> Option<Segment<Self::Header>>;

    /// When [`Endpoint::on_timeout`] is to be called unless something else happens before.
    fn timeout(&self) -> Option<Time>;

    /// The instant that [`Endpoint::timeout`] gave has come.
    fn on_timeout(&mut self, now: Time);

    /// A lane on which bytes have arrived in order since it was last asked, and how many there are since the connection was
    /// opened. The application takes them at once.
    fn delivered(&mut self) -> Option<(Lane, u64)>;

    /// Loads what it points to into the cache: it will be needed soon. The endpoint itself is there already.
    fn prefetch(&self) {}

    /// Does a segment overtake others where links have a lane for that?
    fn is_urgent(_header: &Self::Header) -> bool {
        false
    }

    /// Has it given up?
    fn failure(&self) -> Option<Failure>;

    /// Its counters.
    fn counts(&self) -> ConnectionCounts;

    /// Its control variables, for those who watch them.
    fn state(&self) -> EndState;
}

/// The control variables of an end at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndState {
    /// The congestion window, in bytes.
    pub window: u64,
    /// The slow start threshold, in bytes; [`u64::MAX`] if there is none.
    pub threshold: u64,
    /// The smoothed round trip, in seconds; 0 before the first.
    pub round_trip: f64,
    /// Bytes in flight.
    pub in_flight: u64,
}
