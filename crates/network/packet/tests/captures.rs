//! Captures, read back byte by byte: blocks of the file, headers and checksums of frames, the order of time.
//!
//! Frames are read by `etherparse`, which computes checksums over the whole frame. `tests/packet/test_captures.py` lets Wireshark
//! read captures too.

use std::io::{self, Write};

use etherparse::{PacketHeaders, TcpOptionElement, TransportHeader};
use mpirage_packet::{
    Capture, Direction, Ecn, FrameView, SnapLength, Station, TcpFlags, TcpHeader, TcpOnWire, TcpScale,
};
use mpirage_platform::HostId;
use mpirage_units::Time;
use proptest::prelude::*;

const SCALE: TcpScale = TcpScale { mss: 1_460, window_shift: 7, timestamps: true };
const ACK: TcpFlags =
    TcpFlags { syn: false, ack: true, psh: false, fin: false, rst: false, ece: false, cwr: false };

fn frame(header: TcpHeader, payload: u32) -> FrameView<TcpOnWire> {
    FrameView {
        source: Station { host: HostId(4), port: 1_000 },
        target: Station { host: HostId(70_000), port: 2_000 },
        header: TcpOnWire { header, scale: SCALE },
        payload,
        ecn: Ecn::Capable,
        hops_left: 61,
        identification: 0xbeef,
    }
}

/// A block of a pcapng file: its type, and its body without lengths.
struct Block {
    kind: u32,
    body: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn blocks(mut file: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let length = word(file, 4) as usize;
        assert_eq!(length % 4, 0);
        assert_eq!(word(file, length - 4) as usize, length, "the length stands at both ends");
        blocks.push(Block { kind: word(file, 0), body: file[8..length - 4].to_vec() });
        file = &file[length..];
    }
    blocks
}

impl Block {
    /// Of an enhanced packet: nanoseconds.
    fn stamp(&self) -> u64 {
        u64::from(word(&self.body, 4)) << 32 | u64::from(word(&self.body, 8))
    }

    fn original(&self) -> u32 {
        word(&self.body, 16)
    }

    fn kept(&self) -> &[u8] {
        &self.body[20..20 + word(&self.body, 12) as usize]
    }

    /// The value of an option, of those that begin at `at`.
    fn option(&self, mut at: usize, code: u16) -> Option<&[u8]> {
        loop {
            let [found, length] =
                [at, at + 2].map(|place| u16::from_le_bytes(self.body[place..place + 2].try_into().unwrap()));
            let value = &self.body[at + 4..at + 4 + usize::from(length)];
            match found {
                0 => return None,
                _ if found == code => return Some(value),
                _ => at += 4 + value.len().next_multiple_of(4),
            }
        }
    }
}

/// The file of a capture with one interface, and these frames at these nanoseconds.
fn captured(snap: SnapLength, frames: &[(u64, FrameView<TcpOnWire>)]) -> Vec<Block> {
    let mut capture = Capture::new(Vec::new(), snap).unwrap();
    let interface = capture.interface("host4").unwrap();
    for (nanos, frame) in frames {
        capture.report(Time::from_picos(nanos * 1_000 + 999), interface, Direction::Outbound, frame);
    }
    blocks(&capture.finish().unwrap())
}

/// The bytes of a frame.
fn bytes(frame: FrameView<TcpOnWire>) -> Vec<u8> {
    captured(SnapLength::WHOLE, &[(0, frame)])[2].kept().to_vec()
}

#[test]
fn a_file_has_a_header_interfaces_frames_and_statistics() {
    let data = frame(TcpHeader { sequence: 1, flags: ACK, ..TcpHeader::default() }, 1_448);
    let blocks = captured(SnapLength::HEADERS, &[(5_000_000_000, data), (5_000_000_001, data)]);
    let kinds: Vec<u32> = blocks.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [0x0a0d_0d0a, 1, 6, 6, 5]);
    assert_eq!(word(&blocks[0].body, 0), 0x1a2b_3c4d);
    let interface = &blocks[1];
    assert_eq!(word(&interface.body, 0), 1, "Ethernet");
    assert_eq!(word(&interface.body, 4), 128, "the snap length");
    assert_eq!(interface.option(8, 2), Some(&b"host4"[..]));
    assert_eq!(interface.option(8, 9), Some(&[9][..]), "nanoseconds");
    let packet = &blocks[2];
    assert_eq!((packet.stamp(), packet.original(), packet.kept().len()), (5_000_000_000, 1_514, 128));
    assert_eq!(packet.option(20 + 128, 2), Some(&[2, 0, 0, 0][..]), "outbound");
    assert_eq!(blocks[4].option(12, 4), Some(&2_u64.to_le_bytes()[..]), "frames of the interface");
}

#[test]
fn frames_of_any_length_are_kept_whole() {
    for payload in [0, 1, 2, 3, 1_448, 8_948, 65_495 - 12] {
        let view = frame(TcpHeader { sequence: 1, flags: ACK, ..TcpHeader::default() }, payload);
        let bytes = bytes(view);
        assert_eq!(bytes.len() as u32, view.bytes());
        assert_eq!(bytes.len() as u32, 66 + payload);
        check(&bytes, payload);
    }
}

/// Both checksums are right, and the headers parse.
fn check(bytes: &[u8], payload: u32) -> PacketHeaders<'_> {
    let headers = PacketHeaders::from_ethernet_slice(bytes).unwrap();
    let (ip, _) = headers.net.as_ref().unwrap().ipv4_ref().unwrap();
    assert_eq!(ip.header_checksum, ip.calc_header_checksum());
    let Some(TransportHeader::Tcp(tcp)) = &headers.transport else { panic!("not TCP") };
    let zeros = vec![0; payload as usize];
    assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(ip, &zeros).unwrap());
    assert_eq!(headers.payload.slice(), &zeros);
    headers
}

#[test]
fn addresses_and_fields_of_ip_are_those_of_the_frame() {
    let bytes = bytes(frame(TcpHeader { flags: ACK, ..TcpHeader::default() }, 10));
    let headers = check(&bytes, 10);
    let ethernet = headers.link.clone().unwrap().ethernet2().unwrap();
    assert_eq!(ethernet.source, [2, 0, 0, 0, 0, 4]);
    assert_eq!(ethernet.destination, [2, 0, 0, 1, 0x11, 0x70]);
    let (ip, _) = headers.net.as_ref().unwrap().ipv4_ref().unwrap();
    assert_eq!((ip.source, ip.destination), ([10, 0, 0, 5], [10, 1, 0x11, 0x71]));
    assert_eq!((ip.time_to_live, ip.identification, ip.dont_fragment), (61, 0xbeef, true));
    assert_eq!(ip.ecn.value(), 0b10);
}

#[test]
fn sequence_numbers_count_from_an_initial_number_and_wrap() {
    let at = |sequence| {
        let bytes = bytes(frame(TcpHeader { sequence, flags: ACK, ..TcpHeader::default() }, 0));
        tcp_of(&bytes).sequence_number
    };
    let initial = at(0);
    assert_eq!(at(1_000), initial.wrapping_add(1_000));
    assert_eq!(at((1 << 32) + 5), initial.wrapping_add(5));
    assert_eq!(at(u64::from(u32::MAX - initial) + 1), 0);
}

#[test]
fn acknowledgements_count_from_the_initial_number_of_the_other_end() {
    let there = frame(TcpHeader { sequence: 100, flags: ACK, ..TcpHeader::default() }, 0);
    let (source, target) = (there.target, there.source);
    let header = TcpHeader { acknowledgement: 100, flags: ACK, ..TcpHeader::default() };
    let back = FrameView { source, target, ..frame(header, 0) };
    let (there, back) = (bytes(there), bytes(back));
    assert_eq!(tcp_of(&back).acknowledgment_number, tcp_of(&there).sequence_number);
}

fn tcp_of(bytes: &[u8]) -> etherparse::TcpHeader {
    PacketHeaders::from_ethernet_slice(bytes).unwrap().transport.unwrap().tcp().unwrap()
}

fn options(bytes: &[u8]) -> Vec<TcpOptionElement> {
    tcp_of(bytes).options_iterator().map(Result::unwrap).filter(|it| *it != TcpOptionElement::Noop).collect()
}

#[test]
fn the_first_segment_has_the_options_of_linux() {
    let syn = TcpFlags { syn: true, ack: false, ece: true, cwr: true, ..ACK };
    let timestamp = Time::from_picos(1_234_567_000_000_000);
    let bytes = bytes(frame(TcpHeader { flags: syn, window: 64_240, timestamp, ..TcpHeader::default() }, 0));
    assert_eq!(bytes.len(), 74);
    use TcpOptionElement::{MaximumSegmentSize, SelectiveAcknowledgementPermitted, Timestamp, WindowScale};
    assert_eq!(
        options(&bytes),
        [
            MaximumSegmentSize(1_460),
            SelectiveAcknowledgementPermitted,
            Timestamp(1_234_567, 0),
            WindowScale(7)
        ]
    );
    let tcp = tcp_of(&bytes);
    assert_eq!(
        (tcp.syn, tcp.ack, tcp.ece, tcp.cwr, tcp.fin, tcp.rst, tcp.psh),
        (true, false, true, true, false, false, false)
    );
    assert_eq!((tcp.window_size, tcp.acknowledgment_number), (64_240, 0));
}

#[test]
fn headers_without_timestamps_are_shorter() {
    let without = |header: TcpHeader| {
        let mut view = frame(header, 0);
        view.header.scale.timestamps = false;
        bytes(view)
    };
    let plain = without(TcpHeader { flags: ACK, ..TcpHeader::default() });
    assert_eq!((plain.len(), options(&plain)), (54, vec![]));
    check(&plain, 0);
    let syn = without(TcpHeader { flags: TcpFlags { syn: true, ..ACK }, ..TcpHeader::default() });
    use TcpOptionElement::{MaximumSegmentSize, SelectiveAcknowledgementPermitted, WindowScale};
    assert_eq!(syn.len(), 66);
    assert_eq!(options(&syn), [MaximumSegmentSize(1_460), SelectiveAcknowledgementPermitted, WindowScale(7)]);
    check(&syn, 0);
    let sack = [(10, 20), (40, 1), (50, 1)];
    check(&without(TcpHeader { flags: ACK, sack, ..TcpHeader::default() }), 0);
}

#[test]
fn blocks_of_a_selective_acknowledgement_follow_the_acknowledgement() {
    let sack = [(1_448, 2_896), (10_000, 5), (0, 0)];
    let header = TcpHeader { acknowledgement: 77, flags: ACK, sack, ..TcpHeader::default() };
    let bytes = bytes(frame(header, 0));
    let ack = tcp_of(&bytes).acknowledgment_number;
    let block = |first: u32, length: u32| (ack.wrapping_add(first), ack.wrapping_add(first + length));
    let expected =
        TcpOptionElement::SelectiveAcknowledgement(block(1_448, 2_896), [Some(block(10_000, 5)), None, None]);
    assert_eq!(options(&bytes)[1], expected);
    check(&bytes, 0);
}

#[test]
fn only_a_closed_window_is_zero() {
    let window = |window| {
        tcp_of(&bytes(frame(TcpHeader { window, flags: ACK, ..TcpHeader::default() }, 0))).window_size
    };
    assert_eq!([0, 1, 127, 256, 65_536, 1 << 40].map(window), [0, 1, 1, 2, 512, 65_535]);
}

#[test]
fn frames_are_in_the_order_of_time_and_then_of_reports() {
    let mut capture = Capture::new(Vec::new(), SnapLength::HEADERS).unwrap();
    let interfaces = ["a", "b"].map(|name| capture.interface(name).unwrap());
    let report = |capture: &mut Capture<Vec<u8>>, nanos: u64, identification: u16| {
        let view = FrameView { identification, ..frame(TcpHeader::default(), 0) };
        let interface = interfaces[usize::from(identification % 2)];
        capture.report(Time::from_picos(nanos * 1_000), interface, Direction::Inbound, &view);
    };
    report(&mut capture, 30, 1);
    report(&mut capture, 10, 2);
    capture.flush(Time::from_picos(30_000));
    report(&mut capture, 30, 3);
    report(&mut capture, 50, 4);
    report(&mut capture, 40, 5);
    let blocks = blocks(&capture.finish().unwrap());
    let packets = blocks.iter().filter(|block| block.kind == 6);
    let found: Vec<(u64, u8)> = packets.map(|block| (block.stamp(), block.kept()[19])).collect();
    assert_eq!(found, [(10, 2), (30, 1), (30, 3), (40, 5), (50, 4)]);
}

/// A disk that has room for so many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.0.checked_sub(bytes.len());
        self.0 = room.ok_or_else(|| io::Error::from(io::ErrorKind::StorageFull))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    let mut capture = Capture::new(Disk(1_000), SnapLength::HEADERS).unwrap();
    let interface = capture.interface("a").unwrap();
    for nanos in 0..100 {
        let at = Time::from_picos(nanos * 1_000);
        capture.report(at, interface, Direction::Inbound, &frame(TcpHeader::default(), 100));
        capture.flush(at);
    }
    assert!(capture.has_failed());
    assert_eq!(capture.finish().err().unwrap().kind(), io::ErrorKind::StorageFull);
}

proptest! {
    /// Any header parses, with the checksums that an independent implementation computes.
    #[test]
    fn any_frame_is_right(
        numbers in any::<(u64, u64, u64)>(),
        bits in any::<[bool; 7]>(),
        sack in any::<[(u32, u32); 3]>(),
        ports in any::<(u16, u16)>(),
        hosts in any::<(u32, u32)>(),
        (identification, hops_left, payload) in (any::<u16>(), any::<u8>(), 0_u32..9_000),
        times in any::<(u64, u64)>(),
    ) {
        let (sequence, acknowledgement, window) = numbers;
        let [syn, ack, psh, fin, rst, ece, cwr] = bits;
        let flags = TcpFlags { syn, ack, psh, fin, rst, ece, cwr };
        let (timestamp, echo) = (Time::from_picos(times.0), Time::from_picos(times.1));
        let header = TcpHeader { sequence, acknowledgement, window, flags, sack, timestamp, echo };
        let view = FrameView {
            source: Station { host: HostId(hosts.0), port: ports.0 },
            target: Station { host: HostId(hosts.1), port: ports.1 },
            ecn: Ecn::Marked,
            identification,
            hops_left,
            ..frame(header, payload)
        };
        let bytes = bytes(view);
        check(&bytes, payload);
        let tcp = tcp_of(&bytes);
        prop_assert_eq!((tcp.source_port, tcp.destination_port), ports);
        prop_assert_eq!([tcp.syn, tcp.ack, tcp.psh, tcp.fin, tcp.rst, tcp.ece, tcp.cwr], bits);
    }
}
