//! Packets of queue pairs as RoCEv2 has them: UDP, the base transport header and its extensions (InfiniBand Architecture
//! Specification, volume 1, section 9 and annex A17).
//!
//! ```text
//! bytes  0    8    20                                                  end - 4
//!        UDP  BTH  RETH (first packet) or AETH (acknowledgement), payload   ICRC
//! ```
//!
//! The invariant checksum at the end is 0, since it covers fields of the IP header that this layer does not see. Packets of
//! InfiniBand, which have no UDP and IP headers, are shown in the same way.

use super::address::Station;
use super::wire::WireHeader;
use crate::rdma::{RdmaHeader, RdmaKind};

/// A packet of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RdmaOnWire(pub RdmaHeader);

/// The UDP port of RoCEv2.
const ROCE_PORT: u16 = 4791;
const UDP_BYTES: u32 = 8;
const BTH_BYTES: u32 = 12;
const RETH_BYTES: u32 = 16;
const AETH_BYTES: u32 = 4;
/// The reserved payload of a notification of congestion.
const CNP_BYTES: u32 = 16;
const ICRC_BYTES: u32 = 4;

const WRITE_FIRST: u8 = 0x06;
const WRITE_MIDDLE: u8 = 0x07;
const WRITE_LAST: u8 = 0x08;
const WRITE_ONLY: u8 = 0x0a;
const ACKNOWLEDGE: u8 = 0x11;
const CONGESTION_NOTIFICATION: u8 = 0x81;

const DEFAULT_PARTITION: [u8; 2] = [0xff, 0xff];
/// An acknowledgement without a limit of credits, and one of a sequence error.
const POSITIVE: u8 = 0x1f;
const SEQUENCE_ERROR: u8 = 0x60;

impl WireHeader for RdmaOnWire {
    /// UDP's.
    const PROTOCOL: u8 = 17;

    fn bytes(&self) -> u32 {
        UDP_BYTES + BTH_BYTES + self.extension_bytes() + ICRC_BYTES
    }

    fn write(&self, source: Station, target: Station, payload: u32, out: &mut Vec<u8>) {
        let length = u16::try_from(self.bytes() + payload).unwrap_or(u16::MAX);
        for field in [source.port, ROCE_PORT, length, 0] {
            out.extend_from_slice(&field.to_be_bytes());
        }
        out.extend_from_slice(&[self.opcode(), 0]);
        out.extend_from_slice(&DEFAULT_PARTITION);
        out.extend_from_slice(&u32::from(target.port).to_be_bytes());
        let asks = matches!(self.0.kind, RdmaKind::Data { last: true, .. });
        out.extend_from_slice(&(self.number() | u32::from(asks) << 31).to_be_bytes());
        self.write_extension(out);
    }
}

impl RdmaOnWire {
    fn opcode(&self) -> u8 {
        match self.0.kind {
            RdmaKind::Data { first: true, last: true } => WRITE_ONLY,
            RdmaKind::Data { first: true, last: false } => WRITE_FIRST,
            RdmaKind::Data { first: false, last: true } => WRITE_LAST,
            RdmaKind::Data { first: false, last: false } => WRITE_MIDDLE,
            RdmaKind::Acknowledgement | RdmaKind::SequenceError => ACKNOWLEDGE,
            RdmaKind::Congestion => CONGESTION_NOTIFICATION,
        }
    }

    /// The packet sequence number, of 24 bits. An acknowledgement has that of the last packet that arrived.
    fn number(&self) -> u32 {
        let number = match self.0.kind {
            RdmaKind::Acknowledgement => self.0.number.wrapping_sub(1),
            RdmaKind::Congestion => 0,
            RdmaKind::Data { .. } | RdmaKind::SequenceError => self.0.number,
        };
        (number & 0xff_ffff) as u32
    }

    fn extension_bytes(&self) -> u32 {
        match self.0.kind {
            RdmaKind::Data { first, .. } => u32::from(first) * RETH_BYTES,
            RdmaKind::Acknowledgement | RdmaKind::SequenceError => AETH_BYTES,
            RdmaKind::Congestion => CNP_BYTES,
        }
    }

    /// Addresses and keys of memory are 0: there is none.
    fn write_extension(&self, out: &mut Vec<u8>) {
        let start = out.len();
        match self.0.kind {
            RdmaKind::Acknowledgement => out.push(POSITIVE),
            RdmaKind::SequenceError => out.push(SEQUENCE_ERROR),
            RdmaKind::Data { .. } | RdmaKind::Congestion => {}
        }
        out.resize(start + self.extension_bytes() as usize, 0);
    }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::HostId;

    use super::*;

    fn written(kind: RdmaKind, number: u64, payload: u32) -> Vec<u8> {
        let station = |host, port| Station { host: HostId(host), port };
        let mut out = Vec::new();
        RdmaOnWire(RdmaHeader { kind, number }).write(
            station(1, 0xabcd),
            station(2, 0x1234),
            payload,
            &mut out,
        );
        out
    }

    #[test]
    fn a_message_of_one_packet_is_a_write_only() {
        let bytes = written(RdmaKind::Data { first: true, last: true }, 0x01_0203_0405, 100);
        let bth = [0x0a, 0, 0xff, 0xff, 0, 0, 0x12, 0x34, 0x80, 3, 4, 5];
        assert_eq!(bytes[..8], [0xab, 0xcd, 0x12, 0xb7, 0, 8 + 12 + 16 + 100 + 4, 0, 0]);
        assert_eq!((&bytes[8..20], bytes.len()), (&bth[..], 8 + 12 + 16));
    }

    #[test]
    fn an_acknowledgement_names_the_last_packet_that_came_and_an_error_the_missing_one() {
        let acknowledged = written(RdmaKind::Acknowledgement, 7, 0);
        assert_eq!((acknowledged[8], &acknowledged[16..]), (0x11, &[0, 0, 0, 6, 0x1f, 0, 0, 0][..]));
        let missing = written(RdmaKind::SequenceError, 7, 0);
        assert_eq!((missing[8], &missing[16..]), (0x11, &[0, 0, 0, 7, 0x60, 0, 0, 0][..]));
    }

    #[test]
    fn lengths_are_those_of_the_settings_without_ethernets_checksum() {
        let headers = crate::rdma::RdmaSettings::roce(1e9).headers;
        let bytes = |kind| 34 + RdmaOnWire(RdmaHeader { kind, number: 0 }).bytes() + 4;
        assert_eq!(bytes(RdmaKind::Data { first: false, last: true }), headers.packet);
        assert_eq!(bytes(RdmaKind::Data { first: true, last: true }), headers.packet + headers.first);
        assert_eq!(bytes(RdmaKind::Acknowledgement), headers.packet + headers.acknowledgement);
        assert_eq!(bytes(RdmaKind::Congestion), headers.packet + headers.congestion);
    }
}
