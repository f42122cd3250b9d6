//! The settings shared by all associations.

use mpirage_units::Duration;

/// Parameters of SCTP. Names in comments are those of RFC 9260, section 16.
#[derive(Clone, Debug, PartialEq)]
pub struct SctpSettings {
    /// The largest IP packet.
    pub mtu: u32,
    /// Streams in each direction.
    pub lanes: u16,
    /// Are associations open from the start, without a handshake?
    pub preopened: bool,
    /// The first congestion window, in packets; without it that of RFC 9260, section 7.2.1.
    pub initial_window: Option<u32>,
    /// Bytes that a socket holds until they are acknowledged.
    pub send_buffer: u64,
    /// Bytes that a socket holds until the application has them.
    pub receive_buffer: u64,
    /// A message of which so many bytes wait is delivered in parts (RFC 6458, section 8.1.21).
    pub partial_delivery: u64,
    /// RTO.Initial. RFC 9260 has lowered it to 1 s; implementations of RFC 4960, which Penoff et al. use, have 3 s.
    pub initial_timeout: Duration,
    /// RTO.Min.
    pub least_timeout: Duration,
    /// RTO.Max.
    pub longest_timeout: Duration,
    /// Max.Init.Retransmits.
    pub handshake_retries: u32,
    /// Association.Max.Retrans.
    pub data_retries: u32,
    /// Max.Burst: packets that one event may release.
    pub burst: u32,
    /// How long a SACK may be delayed.
    pub sack_delay: Duration,
    /// A SACK answers so many packets at the latest.
    pub sack_every: u32,
    /// Nagle's algorithm: a packet that is not full waits while others are in flight. MPI libraries switch it off.
    pub nagle: bool,
}

const SECOND: Duration = Duration::from_nanos(1_000_000_000);

impl Default for SctpSettings {
    fn default() -> SctpSettings {
        SctpSettings {
            mtu: 1_500,
            lanes: 10,
            preopened: false,
            initial_window: None,
            send_buffer: 220 * 1_024,
            receive_buffer: 220 * 1_024,
            partial_delivery: 110 * 1_024,
            initial_timeout: Duration::from_nanos(3_000_000_000),
            least_timeout: SECOND,
            longest_timeout: Duration::from_nanos(60_000_000_000),
            handshake_retries: 8,
            data_retries: 10,
            burst: 4,
            sack_delay: Duration::from_nanos(200_000_000),
            sack_every: 2,
            nagle: false,
        }
    }
}

const IP_BYTES: u32 = 20;
const COMMON_BYTES: u32 = 12;
const DATA_BYTES: u32 = 16;

impl SctpSettings {
    /// Sets the receive buffer. A message is delivered in parts when half of it is full.
    pub fn set_receive_buffer(&mut self, bytes: u64) {
        (self.receive_buffer, self.partial_delivery) = (bytes, bytes / 2);
    }

    /// The first congestion window, in bytes.
    pub(super) fn first_window(&self) -> u64 {
        let packet = u64::from(self.packet_bytes());
        match self.initial_window {
            Some(packets) => u64::from(packets) * packet,
            None => (4 * packet).min((2 * packet).max(4_404)),
        }
    }

    /// Bytes of chunks in a packet (PMDCS): what is left of the MTU after the headers of IP and SCTP.
    pub(super) fn packet_bytes(&self) -> u32 {
        self.mtu.saturating_sub(IP_BYTES + COMMON_BYTES)
    }

    /// Bytes of a message in one chunk. A multiple of 4, so that no fragment but the last needs padding.
    pub(super) fn fragment_bytes(&self) -> u16 {
        let bytes = self.packet_bytes().saturating_sub(DATA_BYTES) / 4 * 4;
        u16::try_from(bytes).unwrap_or(u16::MAX - 3).max(4)
    }
}
