//! The parameters of a network of frames, as the platform file and the profile give them.

use mpirage_units::Duration;

use crate::paths::Routing;

/// A queue in front of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueParameters {
    /// The most that waits in it; what comes then is dropped.
    pub limit: QueueLimit,
    /// Frames of protocols that can be marked are marked from so many waiting bytes on, instead of dropped later.
    pub mark_above: Option<u64>,
    /// Random early detection, if it is used.
    pub red: Option<Red>,
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// In bytes.
    Bytes(u64),
    /// In frames.
    Frames(u32),
}

/// Random early detection (Floyd and Jacobson 1993).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Below this average no frame is dropped, in bytes.
    pub low: f64,
    /// From this average on every frame is dropped, in bytes.
    pub high: f64,
    /// The probability just below `high`.
    pub probability: f64,
    /// The weight of a new sample in the average.
    pub weight: f64,
}

/// How switches pass frames on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarding {
    /// When the whole frame has arrived.
    StoreAndForward,
    /// When its header has.
    CutThrough,
}

/// Switches and links, whether they drop frames or hold them back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkParameters {
    /// Bytes that each frame occupies a link for besides its own: preamble, checksum and gap of Ethernet are 24, delimiters of InfiniBand 2.
    pub frame_overhead: u32,
    /// The probability that a frame is lost on a link.
    pub frame_loss: f64,
    /// The probability that a bit is wrong, and its frame is lost.
    pub bit_errors: f64,
    /// How switches pass frames on.
    pub forwarding: Forwarding,
    /// Additional time a switch takes for each frame.
    pub switch_delay: Duration,
    /// How switches choose among several routes.
    pub routing: Routing,
}

/// The part of a host between sockets and the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostParameters {
    /// The frames with data that a socket may have in the host's queue.
    pub socket_frames: u32,
    /// Bytes that the interface takes out of the queue ahead of the wire; they no longer count against their socket.
    pub interface_buffer: u32,
    /// Software time per message, between the arrival of its last byte and its receiver.
    pub software: Duration,
    /// The probability that the receiver is late ...
    pub late_share: f64,
    /// ... and by how much at the most.
    pub late_most: Duration,
}

/// Bytes that MPI adds to its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageParameters {
    /// The header of a message, in bytes.
    pub header: u32,
    /// Bytes of a protocol message, with its header.
    pub control: u32,
    /// Bytes that follow a message of at least `trailer_from` bytes in the stream: ob1's FIN.
    pub trailer: u32,
    /// The smallest message that has a trailer.
    pub trailer_from: u64,
}

/// Messages within a host: latency and bandwidth, without contention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithinHost {
    /// Seconds.
    pub latency: f64,
    /// Bytes per second.
    pub bandwidth: f64,
}

impl MessageParameters {
    /// The bytes of the stream that a message of so many bytes takes.
    pub(crate) fn on_wire(&self, bytes: u64) -> u64 {
        let trailer = if bytes >= self.trailer_from { self.trailer } else { 0 };
        bytes + u64::from(self.header + trailer)
    }
}

/// All parameters but those of the transport protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketParameters {
    /// Switches and links.
    pub links: LinkParameters,
    /// The queues of switches.
    pub switch_queue: QueueParameters,
    /// Hosts.
    pub hosts: HostParameters,
    /// Messages.
    pub messages: MessageParameters,
    /// Messages within a host.
    pub within: WithinHost,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for PacketParameters {
    /// The values that accuracy was measured with: Linux hosts and Open MPI over TCP.
    fn default() -> PacketParameters {
        PacketParameters {
            links: LinkParameters {
                frame_overhead: 0,
                frame_loss: 0.0,
                bit_errors: 0.0,
                forwarding: Forwarding::StoreAndForward,
                switch_delay: Duration::ZERO,
                routing: Routing::Static,
            },
            switch_queue: QueueParameters { limit: QueueLimit::Bytes(1 << 20), mark_above: None, red: None },
            hosts: HostParameters {
                socket_frames: 2,
                interface_buffer: 4600,
                software: Duration::from_nanos(22_000),
                late_share: 0.0,
                late_most: Duration::ZERO,
            },
            messages: MessageParameters { header: 24, control: 80, trailer: 0, trailer_from: 0 },
            within: WithinHost { latency: 200e-9, bandwidth: 10e9 },
            seed: 0,
        }
    }
}
