//! SCTP packets as bytes (RFC 9260, section 3).
//!
//! Verification tags and initial numbers are derived from the ends of the association; cookies consist of zeros, as data does.

use super::address::Station;
use super::wire::WireHeader;
use crate::sctp::{COOKIE_BYTES, Control, DataChunk, Sack, SctpHeader};

const DATA: u8 = 0;
const INIT: u8 = 1;
const INIT_ACK: u8 = 2;
const SACK: u8 = 3;
const COOKIE_ECHO: u8 = 10;
const COOKIE_ACK: u8 = 11;

const STATE_COOKIE: u16 = 7;
/// Flags of DATA: its message ends, begins.
const ENDS: u8 = 0b01;
const BEGINS: u8 = 0b10;
/// Where the checksum is, from the beginning of the packet.
const CHECKSUM: std::ops::Range<usize> = 8..12;

impl WireHeader for SctpHeader {
    const PROTOCOL: u8 = 132;

    fn bytes(&self) -> u32 {
        self.overhead()
    }

    fn write(&self, source: Station, target: Station, payload: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&source.port.to_be_bytes());
        out.extend_from_slice(&target.port.to_be_bytes());
        let tag = if matches!(self.control, Some(Control::Init(..))) { 0 } else { tag(target, source) };
        put(out, tag);
        put(out, 0);
        if let Some(control) = self.control {
            write_control(control, source, target, out);
        }
        if let Some(sack) = &self.sack {
            write_sack(sack, target.initial_number(source), out);
        }
        for chunk in self.data() {
            write_data(chunk, source.initial_number(target), out);
        }
        debug_assert_eq!(out.len() - start, (self.bytes() + payload) as usize);
        // The standard transmits the checksum with its lowest byte first (appendix A).
        let checksum = crc32c::crc32c(&out[start..]).to_le_bytes();
        out[start..][CHECKSUM].copy_from_slice(&checksum);
    }
}

/// The tag that an end chooses; all packets to it carry it.
fn tag(owner: Station, other: Station) -> u32 {
    // Any number but 0, and not the one that its chunks begin with.
    owner.initial_number(other).rotate_left(16) | 1
}

fn write_control(control: Control, source: Station, target: Station, out: &mut Vec<u8>) {
    match control {
        Control::Init(window, lanes) => {
            begin(INIT, 0, 20, out);
            write_init(window, lanes, source, target, out);
        }
        Control::InitAck(window, lanes) => {
            begin(INIT_ACK, 0, 24 + COOKIE_BYTES, out);
            write_init(window, lanes, source, target, out);
            out.extend_from_slice(&STATE_COOKIE.to_be_bytes());
            out.extend_from_slice(&(4 + COOKIE_BYTES as u16).to_be_bytes());
            zeros(COOKIE_BYTES, out);
        }
        Control::CookieEcho => {
            begin(COOKIE_ECHO, 0, 4 + COOKIE_BYTES, out);
            zeros(COOKIE_BYTES, out);
        }
        Control::CookieAck => begin(COOKIE_ACK, 0, 4, out),
    }
}

fn write_init(window: u32, lanes: u16, source: Station, target: Station, out: &mut Vec<u8>) {
    put(out, tag(source, target));
    put(out, window);
    out.extend_from_slice(&lanes.to_be_bytes());
    out.extend_from_slice(&lanes.to_be_bytes());
    put(out, source.initial_number(target));
}

fn write_sack(sack: &Sack, initial: u32, out: &mut Vec<u8>) {
    begin(SACK, 0, sack.bytes(), out);
    // The wire names the last chunk that has arrived, not the next one.
    put(out, wrapped(sack.expected, initial).wrapping_sub(1));
    put(out, sack.window);
    out.extend_from_slice(&(sack.gaps().count() as u16).to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    for gap in sack.gaps() {
        let first = gap.offset + 1;
        out.extend_from_slice(&first.to_be_bytes());
        out.extend_from_slice(&(first + gap.count - 1).to_be_bytes());
    }
}

fn write_data(chunk: &DataChunk, initial: u32, out: &mut Vec<u8>) {
    let flags = if chunk.first { BEGINS } else { 0 } | if chunk.last { ENDS } else { 0 };
    begin(DATA, flags, 16 + u32::from(chunk.bytes), out);
    put(out, wrapped(chunk.tsn, initial));
    out.extend_from_slice(&chunk.lane.0.to_be_bytes());
    out.extend_from_slice(&(chunk.message as u16).to_be_bytes());
    put(out, 0); // The payload protocol is unspecified.
    zeros(chunk.bytes_on_wire() - 16, out);
}

/// A chunk's type, flags and length, which excludes padding.
fn begin(kind: u8, flags: u8, length: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&(length as u16).to_be_bytes());
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn zeros(count: u32, out: &mut Vec<u8>) {
    out.resize(out.len() + count as usize, 0);
}

/// A number as 32 bits.
fn wrapped(number: u64, initial: u32) -> u32 {
    (number as u32).wrapping_add(initial)
}
