//! The settings shared by all queue pairs.

use mpirage_units::Duration;

use super::dcqcn::DcqcnParameters;

/// 4.096 µs · 2^18, InfiniBand's next above the second that UCX asks for (`UCX_RC_TIMEOUT`): pause frames can hold a packet back for many
/// milliseconds where nothing is lost.
const TIMEOUT: Duration = Duration::from_picos(4_096_000 << 18);

/// The settings of reliable connected queue pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RdmaSettings {
    /// The most bytes of a message in a packet.
    pub mtu: u32,
    /// Bytes of headers.
    pub headers: RdmaHeaderBytes,
    /// Packets that may be sent and not acknowledged.
    pub outstanding: u32,
    /// Acknowledge so many packets at once; the last packet of a message is acknowledged always. With more than half of
    /// `outstanding`, half of that.
    pub acknowledge_every: u32,
    /// The receiver's treatment of packets out of order.
    pub order: PacketOrder,
    /// Send again what has not been acknowledged for so long; none if the network loses nothing.
    pub timeout: Option<Duration>,
    /// Give up after so many timeouts without progress.
    pub retries: u32,
    /// Rate control, if there is any.
    pub congestion: Option<DcqcnParameters>,
}

/// Bytes of headers and checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RdmaHeaderBytes {
    /// Of each packet.
    pub packet: u32,
    /// Of the first packet of a message, besides: the remote address of an RDMA write (RETH).
    pub first: u32,
    /// Of an acknowledgement, besides (AETH).
    pub acknowledgement: u32,
    /// Of a notification of congestion, besides: its reserved payload.
    pub congestion: u32,
}

/// A receiver's treatment of packets out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketOrder {
    /// It takes a gap for a loss: it drops what comes after and asks for the missing packet (go-back-N).
    Strict,
    /// It keeps them: routes are adaptive, nothing is lost.
    Any,
}

impl RdmaSettings {
    /// InfiniBand: LRH 8 + BTH 12 + ICRC 4 + VCRC 2 bytes, packets of 4096.
    pub fn infiniband() -> RdmaSettings {
        RdmaSettings {
            mtu: 4096,
            headers: RdmaHeaderBytes { packet: 26, first: 16, acknowledgement: 4, congestion: 16 },
            outstanding: 256,
            acknowledge_every: 16,
            order: PacketOrder::Any,
            timeout: None,
            retries: 7,
            congestion: None,
        }
    }

    /// RoCEv2 with DCQCN: Ethernet 14 + IP 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4 bytes, packets of 4096. `line_rate` is that of the
    /// hosts' links, in bytes per second.
    pub fn roce(line_rate: f64) -> RdmaSettings {
        RdmaSettings {
            headers: RdmaHeaderBytes { packet: 62, ..RdmaSettings::infiniband().headers },
            order: PacketOrder::Strict,
            timeout: Some(TIMEOUT),
            congestion: Some(DcqcnParameters::for_line(line_rate)),
            ..RdmaSettings::infiniband()
        }
    }

    /// The same on links that lose packets: what is missing is sent again. Where routes keep the order of packets, a gap is a loss.
    pub fn on_lossy_links(self, in_order: bool) -> RdmaSettings {
        let order = if in_order { PacketOrder::Strict } else { self.order };
        RdmaSettings { timeout: self.timeout.or(Some(TIMEOUT)), order, ..self }
    }

    /// The packets that are acknowledged at once, so that a sender at its limit gets an acknowledgement.
    pub(super) fn acknowledged_at_once(&self) -> u32 {
        self.acknowledge_every.min(self.outstanding / 2).max(1)
    }
}
