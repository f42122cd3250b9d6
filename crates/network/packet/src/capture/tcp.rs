//! TCP headers as bytes (RFC 9293), with the options that Linux sends.
//!
//! ```text
//! SYN      MSS, selective acknowledgements permitted, timestamps, window scale     20 bytes; 12 without timestamps
//! others   timestamps                                                              12 bytes; 0 without
//!          blocks of a selective acknowledgement                                   4 + 8 per block
//! ```

use mpirage_units::Time;

use super::address::Station;
use super::wire::{InternetSum, WireHeader};
use crate::tcp::{TcpFlags, TcpHeader};

/// The values both ends agree on in the handshake and that later headers depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpScale {
    /// The largest payload that the sender of this segment accepts.
    pub mss: u16,
    /// Windows are divided by 2 to this power.
    pub window_shift: u8,
    /// Do segments have timestamps?
    pub timestamps: bool,
}

/// A TCP header with what it does not say itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpOnWire {
    /// The fields of the header.
    pub header: TcpHeader,
    /// The values its sender announced in the handshake.
    pub scale: TcpScale,
}

const FIXED_BYTES: usize = 20;
/// Without timestamps.
const SYN_OPTION_BYTES: usize = 12;
/// In SYN, two of them are those that the padding of "selective acknowledgements permitted" takes otherwise.
const TIMESTAMP_BYTES: usize = 12;
const SYN_TIMESTAMP_BYTES: usize = 8;
const PICOS_PER_TICK: u64 = 1_000_000_000;

const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

impl WireHeader for TcpOnWire {
    const PROTOCOL: u8 = 6;

    fn bytes(&self) -> u32 {
        (FIXED_BYTES + self.option_bytes()) as u32
    }

    fn write(&self, source: Station, target: Station, payload: u32, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_fields(source, target, out);
        if self.header.flags.syn {
            self.write_syn_options(out);
        } else {
            if self.scale.timestamps {
                out.extend_from_slice(&[NO_OPERATION, NO_OPERATION]);
                self.write_timestamps(out);
            }
            self.write_sack(target.initial_number(source), out);
        }
        debug_assert_eq!(out.len() - start, self.bytes() as usize);
        let checksum = InternetSum::default()
            .pseudo_header(source, target, Self::PROTOCOL, self.bytes() + payload)
            .bytes(&out[start..])
            .checksum();
        out[start + 16..start + 18].copy_from_slice(&checksum.to_be_bytes());
    }
}

impl TcpOnWire {
    fn option_bytes(&self) -> usize {
        let with_timestamps = usize::from(self.scale.timestamps);
        if self.header.flags.syn {
            return SYN_OPTION_BYTES + with_timestamps * SYN_TIMESTAMP_BYTES;
        }
        let sack = match self.sack_blocks().count() {
            0 => 0,
            blocks => 4 + 8 * blocks,
        };
        with_timestamps * TIMESTAMP_BYTES + sack
    }

    fn sack_blocks(&self) -> impl Iterator<Item = (u32, u32)> {
        self.header.sack.into_iter().filter(|(_, length)| *length > 0)
    }

    /// The part that every header has, with a checksum of 0.
    fn write_fields(&self, source: Station, target: Station, out: &mut Vec<u8>) {
        let header = &self.header;
        let sequence = wrapped(header.sequence, source.initial_number(target));
        let acknowledgement =
            if header.flags.ack { wrapped(header.acknowledgement, target.initial_number(source)) } else { 0 };
        let words = (self.bytes() / 4) as u8;
        out.extend_from_slice(&source.port.to_be_bytes());
        out.extend_from_slice(&target.port.to_be_bytes());
        out.extend_from_slice(&sequence.to_be_bytes());
        out.extend_from_slice(&acknowledgement.to_be_bytes());
        out.extend_from_slice(&[words << 4, flag_bits(header.flags)]);
        out.extend_from_slice(&self.window().to_be_bytes());
        out.extend_from_slice(&[0, 0, 0, 0]);
    }

    /// The window in units of the scale. A window below one unit is written as 1: only a closed window is
    /// 0, so that a capture shows as many closed windows as there were.
    fn window(&self) -> u16 {
        let window = self.header.window;
        let shift = if self.header.flags.syn { 0 } else { self.scale.window_shift };
        let scaled = (window >> shift).max(u64::from(window > 0));
        u16::try_from(scaled).unwrap_or(u16::MAX)
    }

    fn write_syn_options(&self, out: &mut Vec<u8>) {
        let [high, low] = self.scale.mss.to_be_bytes();
        out.extend_from_slice(&[MSS, 4, high, low, SACK_PERMITTED, 2]);
        if self.scale.timestamps {
            self.write_timestamps(out);
        } else {
            out.extend_from_slice(&[NO_OPERATION, NO_OPERATION]);
        }
        out.extend_from_slice(&[NO_OPERATION, WINDOW_SCALE, 3, self.scale.window_shift]);
    }

    fn write_timestamps(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[TIMESTAMPS, 10]);
        out.extend_from_slice(&ticks(self.header.timestamp).to_be_bytes());
        out.extend_from_slice(&ticks(self.header.echo).to_be_bytes());
    }

    fn write_sack(&self, initial: u32, out: &mut Vec<u8>) {
        let blocks = self.sack_blocks().count();
        if blocks == 0 {
            return;
        }
        out.extend_from_slice(&[NO_OPERATION, NO_OPERATION, SACK, (2 + 8 * blocks) as u8]);
        let acknowledgement = wrapped(self.header.acknowledgement, initial);
        for (first, length) in self.sack_blocks() {
            let first = acknowledgement.wrapping_add(first);
            out.extend_from_slice(&first.to_be_bytes());
            out.extend_from_slice(&first.wrapping_add(length).to_be_bytes());
        }
    }
}

/// A sequence number as 32 bits.
fn wrapped(number: u64, initial: u32) -> u32 {
    (number as u32).wrapping_add(initial)
}

/// A timestamp as Linux counts: in milliseconds.
fn ticks(time: Time) -> u32 {
    (time.as_picos() / PICOS_PER_TICK) as u32
}

fn flag_bits(flags: TcpFlags) -> u8 {
    let TcpFlags { syn, ack, psh, fin, rst, ece, cwr } = flags;
    [fin, syn, rst, psh, ack, false, ece, cwr]
        .into_iter()
        .enumerate()
        .fold(0, |bits, (place, set)| bits | u8::from(set) << place)
}
