//! Packets of RoCEv2 as bytes (InfiniBand Architecture Specification, volume 1, annex A17): UDP to port 4791, the base transport
//! header of InfiniBand, the extended headers of a reliable connection, and the invariant checksum.
//!
//! ```text
//! UDP 8, BTH 12    every packet
//! RETH 16          the first packet of an RDMA write
//! AETH 4           acknowledgements
//! reserved 16      notifications of congestion (CNP)
//! payload          padded to a multiple of 4
//! ICRC 4           every packet
//! ```
//!
//! Queue pairs are numbered after the ports of their ends. What the timing plane does not know is 0: addresses, keys and the
//! count of messages. The length in a RETH is that of its packet. The checksum of UDP is 0, as the specification allows.

use super::address::Station;
use super::wire::WireHeader;
use crate::rdma::RdmaKind;

/// A packet of RoCEv2 in captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoceOnWire {
    /// The kind of packet.
    pub packet: RdmaKind,
    /// Its number. It counts from 0 and never wraps.
    pub number: u64,
    /// Bytes of payload, for the padding.
    pub payload: u32,
}

const UDP_PORT: u16 = 4_791;
/// Source ports are in the dynamic range, so that switches spread connections.
const DYNAMIC_PORTS: u16 = 0xc000;
const UDP_BYTES: u32 = 8;
const BTH_BYTES: u32 = 12;
const RETH_BYTES: u32 = 16;
const AETH_BYTES: u32 = 4;
const RESERVED_BYTES: u32 = 16;
const ICRC_BYTES: u32 = 4;
const IPV4_BYTES: usize = 20;

const WRITE_FIRST: u8 = 0x06;
const WRITE_MIDDLE: u8 = 0x07;
const WRITE_LAST: u8 = 0x08;
const WRITE_ONLY: u8 = 0x0a;
const ACKNOWLEDGE: u8 = 0x11;
const CONGESTION: u8 = 0x81;

/// Syndromes of an AETH: acknowledged, without limit of credits; not acknowledged, because of the sequence.
const ACKNOWLEDGED: u8 = 0b000_11111;
const SEQUENCE_ERROR: u8 = 0b011_00000;

/// The path migration state of a connection that has one path.
const MIGRATED: u8 = 1 << 6;
const DEFAULT_PARTITION: u16 = 0xffff;
const ACKNOWLEDGE_REQUEST: u8 = 1 << 7;
const BACKWARD_NOTIFICATION: u8 = 1 << 6;
/// Queue pairs 0 and 1 belong to the management of a network; ours have numbers above those of ports.
const FIRST_QUEUE_PAIR: u32 = 1 << 16;
const NUMBERS: u32 = (1 << 24) - 1;

impl WireHeader for RoceOnWire {
    const PROTOCOL: u8 = 17;

    fn bytes(&self) -> u32 {
        UDP_BYTES + BTH_BYTES + self.extended_bytes() + self.padding() + ICRC_BYTES
    }

    fn write(&self, source: Station, target: Station, payload: u32, out: &mut Vec<u8>) {
        debug_assert_eq!(self.payload, payload);
        let start = out.len();
        let port = source.port | DYNAMIC_PORTS;
        out.extend_from_slice(&port.to_be_bytes());
        out.extend_from_slice(&UDP_PORT.to_be_bytes());
        let length = u16::try_from(self.bytes() + payload).unwrap_or(0);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        self.write_base_header(source, target, out);
        self.write_extended_header(out);
        out.resize(out.len() + (payload + self.padding()) as usize, 0);
        let checksum = invariant_checksum(&out[start - IPV4_BYTES..]);
        out.extend_from_slice(&checksum.to_le_bytes());
        debug_assert_eq!(out.len() - start, (self.bytes() + payload) as usize);
    }
}

impl RoceOnWire {
    fn padding(&self) -> u32 {
        self.payload.next_multiple_of(4) - self.payload
    }

    fn extended_bytes(&self) -> u32 {
        match self.packet {
            RdmaKind::Data { first: true, .. } => RETH_BYTES,
            RdmaKind::Data { first: false, .. } => 0,
            RdmaKind::Acknowledgement | RdmaKind::SequenceError => AETH_BYTES,
            RdmaKind::Congestion => RESERVED_BYTES,
        }
    }

    fn write_base_header(&self, source: Station, target: Station, out: &mut Vec<u8>) {
        let is_notification = self.packet == RdmaKind::Congestion;
        let flags = if is_notification { 0 } else { MIGRATED } | (self.padding() as u8) << 4;
        out.extend_from_slice(&[self.operation(), flags]);
        out.extend_from_slice(&DEFAULT_PARTITION.to_be_bytes());
        let pair = FIRST_QUEUE_PAIR | u32::from(target.port);
        let [_, pair @ ..] = pair.to_be_bytes();
        out.push(if is_notification { BACKWARD_NOTIFICATION } else { 0 });
        out.extend_from_slice(&pair);
        let asks = matches!(self.packet, RdmaKind::Data { last: true, .. });
        let [_, number @ ..] = self.number_on_wire(source, target).to_be_bytes();
        out.push(if asks { ACKNOWLEDGE_REQUEST } else { 0 });
        out.extend_from_slice(&number);
    }

    fn operation(&self) -> u8 {
        match self.packet {
            RdmaKind::Data { first: true, last: true } => WRITE_ONLY,
            RdmaKind::Data { first: true, last: false } => WRITE_FIRST,
            RdmaKind::Data { first: false, last: false } => WRITE_MIDDLE,
            RdmaKind::Data { first: false, last: true } => WRITE_LAST,
            RdmaKind::Acknowledgement | RdmaKind::SequenceError => ACKNOWLEDGE,
            RdmaKind::Congestion => CONGESTION,
        }
    }

    /// The packet sequence number. An answer has the numbers of the other direction, and names the last packet that has
    /// arrived or the one that is missing.
    fn number_on_wire(&self, source: Station, target: Station) -> u32 {
        let number = match self.packet {
            RdmaKind::Data { .. } => (self.number as u32).wrapping_add(source.initial_number(target)),
            RdmaKind::SequenceError => (self.number as u32).wrapping_add(target.initial_number(source)),
            RdmaKind::Acknowledgement => {
                (self.number as u32).wrapping_add(target.initial_number(source)).wrapping_sub(1)
            }
            RdmaKind::Congestion => 0,
        };
        number & NUMBERS
    }

    fn write_extended_header(&self, out: &mut Vec<u8>) {
        match self.packet {
            RdmaKind::Data { first: true, .. } => {
                out.extend_from_slice(&[0; 12]);
                out.extend_from_slice(&self.payload.to_be_bytes());
            }
            RdmaKind::Data { first: false, .. } => {}
            RdmaKind::Acknowledgement => out.extend_from_slice(&[ACKNOWLEDGED, 0, 0, 0]),
            RdmaKind::SequenceError => out.extend_from_slice(&[SEQUENCE_ERROR, 0, 0, 0]),
            RdmaKind::Congestion => out.extend_from_slice(&[0; RESERVED_BYTES as usize]),
        }
    }
}

/// The checksum over a packet from its IP header on, in which fields that routers change count as ones. It begins as if the
/// packet had a local header of InfiniBand.
fn invariant_checksum(packet: &[u8]) -> u32 {
    /// Type of service, time to live, checksums of IP and UDP, the byte with the notifications of congestion.
    const CHANGED: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];
    const BEGINNING: usize = 40;
    let mut beginning = [0; BEGINNING];
    beginning.copy_from_slice(&packet[..BEGINNING]);
    CHANGED.into_iter().for_each(|at| beginning[at] = 0xff);
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&[0xff; 8]);
    checksum.update(&beginning);
    checksum.update(&packet[BEGINNING..]);
    checksum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A notification that a ConnectX-4 adapter has sent, from its IP header on, without the checksum 82fd002a. It is one of
    /// the captures with which scapy tests its implementation (test/contrib/roce.uts).
    const SENT_BY_HARDWARE: [u8; 56] = [
        0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01, 0x0a,
        0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00,
        0x01, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn the_checksum_is_that_of_hardware() {
        assert_eq!(invariant_checksum(&SENT_BY_HARDWARE).to_le_bytes(), [0x82, 0xfd, 0x00, 0x2a]);
    }
}
