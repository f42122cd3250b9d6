//! Packets of SCTP in captures, read back byte by byte.

#[allow(dead_code)] // other tests use the rest
mod pair;

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_packet::{
    Capture, Control, Direction, Ecn, FrameView, Lane, Sctp, SctpHeader, SctpSettings, SnapLength, Station,
};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};
use pair::{End, Fate, Pair};

const ENDS: [Station; 2] =
    [Station { host: HostId(7), port: 5_000 }, Station { host: HostId(9), port: 6_000 }];

/// The bytes of a packet from Ethernet on.
fn bytes(header: SctpHeader, payload: u32, from: End) -> Vec<u8> {
    let frame = FrameView {
        source: ENDS[from as usize],
        target: ENDS[1 - from as usize],
        header,
        payload,
        ecn: Ecn::NotCapable,
        hops_left: 64,
        identification: 1,
    };
    let mut capture = Capture::new(Vec::new(), SnapLength::WHOLE).unwrap();
    let interface = capture.interface("x").unwrap();
    capture.report(Time::ZERO, interface, Direction::Outbound, &frame);
    let file = capture.finish().unwrap();
    // The third block, after its own header.
    let length = |at: usize| u32::from_le_bytes(file[at + 4..at + 8].try_into().unwrap()) as usize;
    let packet = length(0) + length(length(0));
    file[packet + 28..][..frame.bytes() as usize].to_vec()
}

/// All packets of a transfer in which one is lost.
fn packets() -> Vec<(End, SctpHeader, u32)> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&seen);
    let fates = move |passing: pair::Passing<'_, SctpHeader>| {
        log.borrow_mut().push((passing.from, passing.segment.header, passing.segment.payload));
        if (passing.from, passing.number) == (End::Active, 4) { Fate::IsLost } else { Fate::Arrives }
    };
    let delay = Duration::from_nanos(50_000);
    let mut pair = Pair::<Sctp>::new(&SctpSettings::default(), 125_000_000, delay, Box::new(fates));
    pair.write(End::Active, Lane(1), 20_001);
    pair.write(End::Active, Lane(2), 3);
    pair.run(Time::MAX);
    drop(pair);
    Rc::into_inner(seen).unwrap().into_inner()
}

/// CRC-32C bit by bit (RFC 9260, appendix A): polynomial 1EDC6F41, reflected.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut register = u32::MAX;
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            register = (register >> 1) ^ (0x82f6_3b78 * (register & 1));
        }
    }
    !register
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap())
}

/// The chunks of a packet, from its bytes.
fn chunks(packet: &[u8]) -> Vec<&[u8]> {
    let mut rest = &packet[46..];
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let length = usize::from(half(rest, 2));
        chunks.push(&rest[..length]);
        rest = &rest[length.next_multiple_of(4)..];
    }
    chunks
}

#[test]
fn the_naive_checksum_is_the_right_one() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
}

#[test]
fn checksums_and_lengths_are_right() {
    for (from, header, payload) in packets() {
        let mut packet = bytes(header, payload, from);
        assert_eq!(usize::from(half(&packet, 16)) + 14, packet.len(), "the length of IP");
        assert_eq!(packet[23], 132);
        let checksum = u32::from_le_bytes(packet[42..46].try_into().unwrap());
        packet[42..46].fill(0);
        assert_eq!(crc32c(&packet[34..]), checksum);
    }
}

#[test]
fn tags_are_those_of_the_handshake() {
    let packets: Vec<(End, Vec<u8>)> =
        packets().into_iter().map(|(from, header, payload)| (from, bytes(header, payload, from))).collect();
    let tag = |packet: &[u8]| word(packet, 38);
    let chosen = |packet: &[u8]| word(packet, 50);
    assert_eq!(tag(&packets[0].1), 0, "INIT has none");
    let own = [chosen(&packets[0].1), chosen(&packets[1].1)];
    assert!(own[0] != 0 && own[1] != 0 && own[0] != own[1]);
    for (from, packet) in &packets[1..] {
        assert_eq!(tag(packet), own[1 - *from as usize]);
    }
}

#[test]
fn chunks_say_what_headers_say() {
    let packets = packets();
    let initial = word(&bytes(packets[0].1, 0, End::Active), 62);
    let (mut data, mut gaps) = (0, 0);
    for (from, header, payload) in packets {
        let packet = bytes(header, payload, from);
        let chunks = chunks(&packet);
        let mut chunks = chunks.iter();
        if let Some(control) = header.control {
            let kind = chunks.next().unwrap()[0];
            let expected = match control {
                Control::Init(..) => 1,
                Control::InitAck(..) => 2,
                Control::CookieEcho => 10,
                Control::CookieAck => 11,
            };
            assert_eq!(kind, expected);
        }
        if let Some(sack) = header.sack {
            let chunk = chunks.next().unwrap();
            let last = initial.wrapping_add(sack.expected as u32).wrapping_sub(1);
            assert_eq!((chunk[0], word(chunk, 4), word(chunk, 8)), (3, last, sack.window));
            assert_eq!(usize::from(half(chunk, 12)), sack.gaps().count());
            for (index, gap) in sack.gaps().enumerate() {
                let (start, end) = (half(chunk, 16 + 4 * index), half(chunk, 18 + 4 * index));
                assert_eq!((start, end), (gap.offset + 1, gap.offset + gap.count));
                gaps += 1;
            }
        }
        for expected in header.data() {
            let chunk = chunks.next().unwrap();
            assert_eq!(chunk.len(), 16 + usize::from(expected.bytes));
            assert_eq!((chunk[0], word(chunk, 4)), (0, initial.wrapping_add(expected.tsn as u32)));
            assert_eq!((half(chunk, 8), half(chunk, 10)), (expected.lane.0, expected.message as u16));
            assert_eq!(chunk[1], u8::from(expected.last) | u8::from(expected.first) << 1);
            data += 1;
        }
        assert!(chunks.next().is_none());
    }
    assert!(data > 15 && gaps > 0, "{data} chunks of data, {gaps} gaps");
}
