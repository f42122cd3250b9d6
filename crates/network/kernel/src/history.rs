//! The history of a network: samples of its queues and connections over time.
//!
//! A network that supports it records the state of its queues and connections on request
//! ([`NetworkModel::record_history`](crate::NetworkModel::record_history)), in bounded memory: a sample covers the time since
//! the previous one.

use mpirage_units::{Duration, Time};

use crate::model::LinkStatistics;

/// Queues and connections over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkHistory {
    /// The queue of each link that was used.
    pub queues: Vec<QueueHistory>,
    /// Each direction of each connection.
    pub connections: Vec<ConnectionHistory>,
    /// Samples of a queue are at least so far apart, but for those at the bounds of such stretches.
    pub queue_resolution: Duration,
    /// Samples of a connection, likewise.
    pub connection_resolution: Duration,
}

/// The queue in front of a link over time.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueHistory {
    /// The link, and its counts at the end.
    pub totals: LinkStatistics,
    /// In the order of time.
    pub samples: Vec<QueueSample>,
}

/// A queue at an instant. Counts are those since the beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSample {
    /// When the most bytes waited.
    pub at: Time,
    /// Bytes that waited then.
    pub waiting: u64,
    /// Bytes that waited after the last change before the next sample.
    pub left: u64,
    /// Frames that the link has carried.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames that the queue had no room for.
    pub dropped: u64,
    /// Frames that the link has lost.
    pub lost: u64,
    /// Frames that the queue has marked.
    pub marked: u64,
}

/// One direction of a connection over time.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionHistory {
    /// The number of the connection; its two directions have the same.
    pub number: u32,
    /// The end point that sends.
    pub source: u32,
    /// The end point that receives.
    pub target: u32,
    /// The sender's counts at the end of the run.
    pub totals: ConnectionCounts,
    /// In the order of time.
    pub samples: Vec<ConnectionSample>,
}

/// The control variables of a sender at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConnectionSample {
    /// The instant.
    pub at: Time,
    /// The congestion window, in bytes.
    pub window: u64,
    /// The slow start threshold, in bytes, once there is one.
    pub threshold: Option<u64>,
    /// The smoothed round trip, in seconds, once it is known.
    pub round_trip: Option<f64>,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Segments that were sent again since the beginning of the run.
    pub retransmissions: u64,
}

/// The counts of one end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Segments sent, retransmissions included.
    pub segments: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Losses that were found from acknowledgements.
    pub fast_retransmits: u64,
    /// Retransmission timers that expired.
    pub timeouts: u64,
    /// Acknowledgements that acknowledged nothing new.
    pub duplicate_acks: u64,
    /// Windows of zero that were offered.
    pub zero_windows: u64,
    /// Recoveries that turned out to be unnecessary, if the protocol finds out.
    pub spurious: u64,
}

impl ConnectionCounts {
    /// Adds what another end has counted.
    pub fn add(&mut self, other: &ConnectionCounts) {
        self.segments += other.segments;
        self.retransmissions += other.retransmissions;
        self.fast_retransmits += other.fast_retransmits;
        self.timeouts += other.timeouts;
        self.duplicate_acks += other.duplicate_acks;
        self.zero_windows += other.zero_windows;
        self.spurious += other.spurious;
    }
}
