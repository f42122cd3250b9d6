//! Transfers of TCP that follow a script: everything that Wireshark should find was put in on purpose.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use mpirage_packet::{
    Capture, Direction, Ecn, FrameView, InterfaceId, SnapLength, Station, TcpFlags, TcpHeader, TcpOnWire,
    TcpScale,
};
use mpirage_platform::HostId;
use mpirage_units::{Duration, Time};

use crate::output;

const MSS: u64 = 1_448;
/// Segments of one round trip, and round trips.
const BURST: u64 = 10;
const ROUNDS: u64 = 12;
const DELAY: Duration = Duration::from_nanos(5_000_000);
const SPACING: Duration = Duration::from_nanos(12_304);
const TIMEOUT: Duration = Duration::from_nanos(200_000_000);
const WINDOW: u64 = 65_536;
const SCALE: TcpScale = TcpScale { mss: 1_460, window_shift: 7, timestamps: true };
const SENDER: Station = Station { host: HostId(0), port: 40_000 };
const RECEIVER: Station = Station { host: HostId(0x01_02_03), port: 1_024 };

/// Writes the scripted captures.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let none = Script { lost: BTreeSet::new(), closes_after: None };
    // In the middle of a burst, its first segment, and the last of a burst, which only a timeout repairs.
    let lost = BTreeSet::from([13, 30, 45, 59, 81, 109]);
    let some = Script { lost, closes_after: Some(6) };
    one_end(folder, "clean.pcapng", &none)?;
    one_end(folder, "lossy.pcapng", &some)?;
    two_ends(folder, "two-ends.pcapng", &some)
}

/// The faults of a transfer.
struct Script {
    /// Segments whose first transmission is lost.
    lost: BTreeSet<u64>,
    /// The round after which the receiver's window is closed for a while.
    closes_after: Option<u64>,
}

fn one_end(folder: &Path, name: &str, script: &Script) -> Result<(), Box<dyn Error>> {
    let mut capture = Capture::new(output(folder, name)?, SnapLength::HEADERS)?;
    let sender = capture.interface("host0")?;
    let mut transfer = Transfer::new(capture, sender, None);
    transfer.run(script);
    transfer.finish(name)
}

fn two_ends(folder: &Path, name: &str, script: &Script) -> Result<(), Box<dyn Error>> {
    let mut capture = Capture::new(output(folder, name)?, SnapLength::WHOLE)?;
    let sender = capture.interface("host0")?;
    let receiver = capture.interface("host66051")?;
    let mut transfer = Transfer::new(capture, sender, Some(receiver));
    transfer.run(script);
    transfer.finish(name)
}

/// A transfer in one direction.
struct Transfer<W> {
    capture: Capture<W>,
    sender: InterfaceId,
    receiver: Option<InterfaceId>,
    now: Time,
    identification: u16,
    /// Segments the receiver has: all before this number, and those in the set `above`.
    expected: u64,
    above: BTreeSet<u64>,
    retransmissions: u64,
    duplicate_acks: u64,
    closed_windows: u64,
    marked: u64,
}

impl<W: Write> Transfer<W> {
    fn new(capture: Capture<W>, sender: InterfaceId, receiver: Option<InterfaceId>) -> Transfer<W> {
        Transfer {
            capture,
            sender,
            receiver,
            now: Time::from_picos(1_500_000_000_123),
            identification: 0xfff0,
            expected: 0,
            above: BTreeSet::new(),
            retransmissions: 0,
            duplicate_acks: 0,
            closed_windows: 0,
            marked: 0,
        }
    }

    fn run(&mut self, script: &Script) {
        self.handshake();
        for round in 0..ROUNDS {
            self.burst(round, script);
            self.capture.flush(self.now);
            if script.closes_after == Some(round) {
                self.close_and_open();
            }
        }
        self.close();
    }

    fn finish(self, name: &str) -> Result<(), Box<dyn Error>> {
        let (frames, retransmissions) = (self.capture.frames(), self.retransmissions);
        let (duplicate_acks, closed_windows, marked) =
            (self.duplicate_acks, self.closed_windows, self.marked);
        self.capture.finish()?.flush()?;
        println!(
            "{name} frames={frames} retransmissions={retransmissions} duplicate_acks={duplicate_acks} \
             closed_windows={closed_windows} marked={marked}"
        );
        Ok(())
    }

    fn handshake(&mut self) {
        let syn = TcpFlags { syn: true, ..TcpFlags::default() };
        self.sender_emits(
            self.now,
            TcpHeader { window: WINDOW, flags: syn, ..TcpHeader::default() },
            0,
            false,
        );
        self.now += DELAY;
        let both = TcpFlags { ack: true, ..syn };
        let answer = TcpHeader { acknowledgement: 1, window: WINDOW, flags: both, ..TcpHeader::default() };
        self.receiver_emits(self.now, answer);
        self.now += DELAY;
        self.sender_emits(self.now, segment(0), 0, false);
    }

    /// Sends a burst and repairs what is lost in it.
    fn burst(&mut self, round: u64, script: &Script) {
        let numbers = round * BURST..(round + 1) * BURST;
        for (position, number) in numbers.clone().enumerate() {
            let at = self.now + Duration::from_picos(SPACING.as_picos() * position as u64);
            let lost = script.lost.contains(&number);
            self.data(at, number, lost);
        }
        self.now += DELAY + DELAY;
        self.now += Duration::from_picos(SPACING.as_picos() * (BURST - 1));
        let missing: Vec<u64> = numbers.filter(|number| script.lost.contains(number)).collect();
        for number in missing {
            let only_a_timeout_helps = self.above.is_empty();
            self.now += if only_a_timeout_helps { TIMEOUT } else { Duration::from_nanos(1) };
            self.retransmissions += 1;
            self.data(self.now, number, false);
            self.now += DELAY + DELAY;
        }
        self.now += Duration::from_nanos(1_000);
    }

    /// Sends a segment at `at`; the receiver answers when it arrives.
    fn data(&mut self, at: Time, number: u64, lost: bool) {
        let header = TcpHeader {
            flags: TcpFlags { ack: true, psh: number % BURST == BURST - 1, ..TcpFlags::default() },
            ..segment(number)
        };
        self.sender_emits(at, header, MSS as u32, lost);
        if lost {
            return;
        }
        let before = self.expected;
        self.above.insert(number);
        while self.above.remove(&self.expected) {
            self.expected += 1;
        }
        self.duplicate_acks += u64::from(self.expected == before);
        self.receiver_emits(at + DELAY, self.acknowledgement(at, WINDOW));
    }

    /// The receiver closes its window and opens it again.
    fn close_and_open(&mut self) {
        self.closed_windows += 1;
        self.receiver_emits(self.now, self.acknowledgement(self.now, 0));
        self.now += DELAY;
        // Less than the unit of the scale: not closed.
        self.receiver_emits(self.now, self.acknowledgement(self.now, 100));
        self.now += DELAY;
        self.receiver_emits(self.now, self.acknowledgement(self.now, WINDOW));
        self.now += DELAY;
    }

    fn close(&mut self) {
        let fin = TcpFlags { ack: true, fin: true, ..TcpFlags::default() };
        self.sender_emits(self.now, TcpHeader { flags: fin, ..segment(self.expected) }, 0, false);
        self.now += DELAY;
        let sequence = first_byte(self.expected) + 1;
        let header =
            TcpHeader { flags: fin, acknowledgement: sequence, ..self.acknowledgement(self.now, WINDOW) };
        self.receiver_emits(self.now, header);
        self.now += DELAY;
        let last = TcpHeader { sequence, acknowledgement: 2, ..segment(0) };
        self.sender_emits(self.now, last, 0, false);
    }

    /// The acknowledgement of what the receiver has, with the blocks above a gap.
    fn acknowledgement(&self, echo: Time, window: u64) -> TcpHeader {
        let mut sack = [(0, 0); 3];
        for (block, (first, count)) in sack.iter_mut().zip(blocks(&self.above)) {
            *block = (((first - self.expected) * MSS) as u32, (count * MSS) as u32);
        }
        TcpHeader {
            sequence: 1,
            acknowledgement: first_byte(self.expected),
            window,
            flags: TcpFlags { ack: true, ..TcpFlags::default() },
            sack,
            timestamp: echo + DELAY,
            echo,
        }
    }

    fn sender_emits(&mut self, at: Time, header: TcpHeader, payload: u32, lost: bool) {
        let mut frame = self.frame(SENDER, RECEIVER, TcpHeader { timestamp: at, ..header }, payload);
        self.capture.report(at, self.sender, Direction::Outbound, &frame);
        if let Some(receiver) = self.receiver.filter(|_| !lost) {
            frame.hops_left -= 2;
            self.capture.report(at + DELAY, receiver, Direction::Inbound, &frame);
        }
    }

    /// A frame of the receiver reaches the sender after the delay.
    fn receiver_emits(&mut self, at: Time, header: TcpHeader) {
        let mut frame = self.frame(RECEIVER, SENDER, header, 0);
        if let Some(receiver) = self.receiver {
            self.capture.report(at, receiver, Direction::Outbound, &frame);
        }
        frame.hops_left -= 2;
        self.capture.report(at + DELAY, self.sender, Direction::Inbound, &frame);
    }

    fn frame(
        &mut self,
        source: Station,
        target: Station,
        header: TcpHeader,
        payload: u32,
    ) -> FrameView<TcpOnWire> {
        self.identification = self.identification.wrapping_add(1);
        let marked = self.identification.is_multiple_of(7);
        self.marked += u64::from(marked);
        FrameView {
            source,
            target,
            header: TcpOnWire { header, scale: SCALE },
            payload,
            ecn: if marked { Ecn::Marked } else { Ecn::Capable },
            hops_left: 64,
            identification: self.identification,
        }
    }
}

fn first_byte(number: u64) -> u64 {
    1 + number * MSS
}

fn segment(number: u64) -> TcpHeader {
    TcpHeader {
        sequence: first_byte(number),
        acknowledgement: 1,
        window: WINDOW,
        flags: TcpFlags { ack: true, ..TcpFlags::default() },
        ..TcpHeader::default()
    }
}

/// Runs of neighbours: the first of each, and how many there are.
fn blocks(numbers: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut blocks: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match blocks.last_mut() {
            Some((first, count)) if *first + *count == number => *count += 1,
            _ => blocks.push((number, 1)),
        }
    }
    blocks
}
