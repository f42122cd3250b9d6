//! The costs a transport adds to a message: frames, protocol messages, interfaces, buffers.

use mpirage_kernel::{Cargo, Transfer};
use mpirage_units::Duration;

/// Parameters of a [`StreamNetwork`](super::StreamNetwork) besides those of flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Physics {
    /// How bytes are cut into frames.
    pub framing: Framing,
    /// Bytes of a protocol message such as a grant, with its header.
    pub control: u64,
    /// The trailer of large messages in their stream (ob1's FIN).
    pub trailer: Option<Trailer>,
    /// Software time per message, between the arrival of its last byte and its receiver.
    pub software: Duration,
    /// The time from one message to the next at the interface of a host, in each direction.
    pub gap: Duration,
    /// Bytes of a message that leave before the interface turns to other connections, if it has nothing else to send ...
    pub burst: u64,
    /// ... and if it has.
    pub turn: u64,
    /// Bytes of a connection that the library or the kernel keeps for the sender; no limit if there is none.
    pub send_buffer: Option<u64>,
    /// Bytes that a new connection may have on their way; no limit if there is none.
    pub initial_window: Option<u64>,
    /// Receivers that are late.
    pub lateness: Lateness,
}

/// Bytes that follow a large message in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Bytes.
    pub bytes: u64,
    /// Messages of fewer bytes have none.
    pub from: u64,
}

/// How bytes are cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// The most bytes of a stream in a frame.
    pub payload: u64,
    /// Bytes around them.
    pub header: u64,
    /// Does every switch wait for the last byte of a frame before it sends the first?
    pub store_and_forward: bool,
}

/// Some receivers notice a message late.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    /// The share of messages.
    pub share: f64,
    /// The largest delay.
    pub most: Duration,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Bytes that flows have in the queue of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backlog {
    /// Bytes of each flow, at least.
    pub each: u64,
    /// Bytes of all flows together, in addition.
    pub more: u64,
}

impl Physics {
    /// Bytes of a transfer in its stream; `header` is that of a message.
    pub(super) fn stream_bytes(&self, transfer: &Transfer, header: u64) -> u64 {
        match transfer.cargo {
            Cargo::Control => self.control,
            Cargo::Data => transfer.bytes + header + self.trailer_of(transfer.bytes),
        }
    }

    /// Bytes that an interface takes out of the queue of its host ahead of the wire.
    pub(super) fn ahead(&self) -> u64 {
        self.burst.saturating_sub(self.turn)
    }

    /// Bytes of a message that leave its host at once, while the interface still has so many to send: a turn, and the whole frames that it has
    /// room for.
    pub(super) fn burst_behind(&self, unsent: u64) -> u64 {
        let room = self.ahead().saturating_sub(unsent);
        self.turn + if unsent == 0 { room } else { room - room % self.framing.payload }
    }

    /// The backlog of flows in a host's queue: their turns, behind the bytes that the interface has taken.
    pub(super) fn backlog_of_host(&self) -> Backlog {
        Backlog { each: self.turn, more: self.ahead() }
    }

    /// The backlog a message meets at a switch whose link flows use: half of the frame on the wire, and its share of their frames.
    pub(super) fn backlog_of_switch(&self) -> Backlog {
        Backlog { each: 0, more: self.framing.full_frame() / 2 }
    }

    fn trailer_of(&self, bytes: u64) -> u64 {
        self.trailer.map_or(0, |trailer| if bytes >= trailer.from { trailer.bytes } else { 0 })
    }
}

impl Framing {
    /// Bytes on the wire of so many bytes of a stream.
    pub(super) fn wire_bytes(&self, bytes: u64) -> u64 {
        bytes + self.header * bytes.div_ceil(self.payload).max(1)
    }

    /// Bytes of a full frame, for which every switch waits; 0 if messages are not cut.
    fn full_frame(&self) -> u64 {
        if self.payload == u64::MAX { 0 } else { self.first_frame(self.payload) }
    }

    /// Bytes of the first frame, for which every switch waits.
    pub(super) fn first_frame(&self, bytes: u64) -> u64 {
        if self.store_and_forward { bytes.min(self.payload) + self.header } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_headers_and_the_first_is_forwarded() {
        let framing = Framing { payload: 1448, header: 66, store_and_forward: true };
        assert_eq!(framing.wire_bytes(0), 66);
        assert_eq!(framing.wire_bytes(1448), 1514);
        assert_eq!(framing.wire_bytes(1449), 1449 + 132);
        assert_eq!((framing.first_frame(10), framing.first_frame(5000)), (76, 1514));
        assert_eq!(Framing { store_and_forward: false, ..framing }.first_frame(10), 0);
    }
}
