//! The events inside the network.

use mpirage_kernel::Token;

use crate::ids::{EndId, FrameId, PortId};

/// Something that happens inside the network.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A frame arrives at a switch or at its host.
    Arrival(FrameId),
    /// The interface has taken a frame of a socket out of the host's queue. If there is a port, it has the next such event.
    Taken(EndId, Option<PortId>),
    /// A port of the link layer may transmit again.
    Port(PortId),
    /// The link layer looks for frames that wait for each other.
    DeadlockCheck,
    /// The timer of a socket goes off.
    Timer(EndId),
    /// The network holds all bytes of a message.
    Buffered(Token),
    /// A message reaches its receiver.
    HandOver(Token),
    /// A message will never reach its receiver.
    GivenUp(Token),
}
