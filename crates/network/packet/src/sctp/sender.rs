//! Messages become chunks; which of these are in flight, lost or acknowledged (RFC 9260, sections 6.1, 6.3 and 7.2.4).
//!
//! ```text
//!           first                          next
//! chunks    arrived  in flight  lost  …    │ not yet cut from messages
//! ```
//!
//! The chunks of a message follow each other without chunks of other messages between them, so a long message delays the
//! messages behind it at the sender, also those of other streams.

use std::collections::VecDeque;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::congestion::{Congestion, Progress};
use super::header::{DataChunk, Sack};
use super::packet::Packet;
use super::settings::SctpSettings;
use super::timer::RetransmissionTimer;
use crate::endpoint::Lane;

/// The sending side of an association.
#[derive(Debug)]
pub(super) struct Sender {
    /// Messages of which not everything was sent.
    messages: VecDeque<UnsentMessage>,
    /// Numbers for messages, by stream.
    numbers: Vec<u32>,
    /// Chunks from `first` on that were sent at least once.
    sent: VecDeque<SentChunk>,
    /// The lowest chunk that is not acknowledged with all before it.
    first: u64,
    /// Bytes of messages that were not sent; of chunks in `sent`; of those that are in flight.
    unsent: u64,
    kept: u64,
    flight: u64,
    /// How many chunks are lost, and a number that none of them is below.
    lost: usize,
    lost_from: u64,
    /// The most bytes in flight until the next event: limits bursts.
    burst_end: u64,
    /// A fast retransmission begins: its first packet ignores the congestion window.
    is_urgent: bool,
    /// The chunk that measures the round-trip time, and when it was sent.
    timed: Option<(u64, Time)>,
    last_sent: Time,
    peer_window: u64,
    congestion: Congestion,
    timer: RetransmissionTimer,
    /// Expirations in a row, and how many it takes to give up.
    expirations: u32,
    most_expirations: u32,
    fragment: u16,
    burst: u64,
    nagle: bool,
    counters: ConnectionCounts,
}

#[derive(Clone, Copy, Debug)]
struct UnsentMessage {
    lane: Lane,
    number: u32,
    left: u64,
    begun: bool,
}

#[derive(Clone, Copy, Debug)]
struct SentChunk {
    message: u32,
    lane: Lane,
    bytes: u16,
    first: bool,
    last: bool,
    state: State,
    /// Reports that name later chunks, but not this one.
    misses: u8,
    /// It was sent again because of such reports; only the timer sends it a third time.
    was_resent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Arrived,
    Lost,
}

/// Reports without a chunk after which it is lost.
const MISSES: u8 = 3;

impl Sender {
    pub fn new(settings: &SctpSettings) -> Sender {
        Sender {
            messages: VecDeque::new(),
            numbers: vec![0; usize::from(settings.lanes)],
            sent: VecDeque::new(),
            first: 0,
            unsent: 0,
            kept: 0,
            flight: 0,
            lost: 0,
            lost_from: 0,
            burst_end: u64::MAX,
            is_urgent: false,
            timed: None,
            last_sent: Time::ZERO,
            peer_window: 0,
            congestion: Congestion::new(settings.first_window(), settings.packet_bytes()),
            timer: RetransmissionTimer::new(settings),
            expirations: 0,
            most_expirations: settings.data_retries,
            fragment: settings.fragment_bytes(),
            burst: u64::from(settings.burst) * u64::from(settings.packet_bytes()),
            nagle: settings.nagle,
            counters: ConnectionCounts::default(),
        }
    }

    /// The other end has announced its window.
    pub fn open(&mut self, window: u32) {
        self.peer_window = u64::from(window);
        self.limit_burst();
    }

    /// Takes a message.
    pub fn write(&mut self, now: Time, lane: Lane, bytes: u64) {
        if bytes == 0 {
            return;
        }
        if self.sent.is_empty() && self.unsent == 0 {
            self.decay(now);
        }
        let number = &mut self.numbers[usize::from(lane.0)];
        self.messages.push_back(UnsentMessage { lane, number: *number, left: bytes, begun: false });
        *number += 1;
        self.unsent += bytes;
        self.limit_burst();
    }

    /// Bytes that the send buffer holds.
    pub fn buffered(&self) -> u64 {
        self.unsent + self.kept
    }

    pub fn deadline(&self) -> Option<Time> {
        self.timer.deadline()
    }

    /// How often it has tried again before it gave up.
    pub fn given_up(&self) -> Option<u32> {
        (self.expirations > self.most_expirations).then_some(self.most_expirations)
    }

    pub fn congestion(&self) -> &Congestion {
        &self.congestion
    }

    pub fn round_trip(&self) -> Option<Duration> {
        self.timer.round_trip()
    }

    pub fn bytes_in_flight(&self) -> u64 {
        self.flight
    }

    /// The counters that the sender maintains.
    pub fn counters(&self) -> ConnectionCounts {
        self.counters
    }

    /// Adds what may be sent now to a packet.
    pub fn fill(&mut self, now: Time, packet: &mut Packet) {
        while self.resend(now, packet) {}
        while self.lost == 0 && self.send_new(now, packet) {}
        if packet.has_data() {
            self.is_urgent = false;
            self.last_sent = now;
            self.timer.start(now);
        }
    }

    /// An acknowledgement has arrived.
    pub fn receive(&mut self, now: Time, sack: &Sack) {
        if sack.expected < self.first {
            return; // It was overtaken by a later one.
        }
        let (flight, was_recovering) = (self.flight, self.congestion.is_recovering());
        let advances = sack.expected > self.first;
        let mut acknowledged = self.acknowledge_up_to(now, sack.expected);
        let (beyond, highest_new) = self.acknowledge_gaps(now, sack);
        acknowledged += beyond;
        self.peer_window = u64::from(sack.window);
        self.expirations = 0;
        if advances {
            self.advance(
                now,
                Progress { acknowledged, flight, first: self.first, all: self.sent.is_empty() },
            );
        }
        let highest = if was_recovering && advances { highest(sack) } else { highest_new };
        self.count_misses(highest);
        self.limit_burst();
    }

    /// The timer T3 may have expired: everything in flight is lost.
    pub fn on_timeout(&mut self, now: Time) {
        if !self.timer.expire(now) {
            return;
        }
        self.expirations += 1;
        self.counters.timeouts += 1;
        self.timed = None;
        self.congestion.on_timeout();
        for index in 0..self.sent.len() {
            self.sent[index].misses = 0;
            self.sent[index].was_resent = false;
            self.lose(index);
        }
        self.limit_burst();
    }

    fn advance(&mut self, now: Time, progress: Progress) {
        self.congestion.on_progress(progress);
        if self.sent.is_empty() {
            self.timer.stop();
        } else {
            self.timer.restart(now);
        }
    }

    /// The window shrinks while nothing is sent: by half per timeout.
    fn decay(&mut self, now: Time) {
        let timeout = self.timer.timeout().as_picos().max(1);
        let idle = now.since(self.last_sent).as_picos() / timeout;
        for _ in 0..idle.min(u64::from(u64::BITS)) {
            self.congestion.on_idle();
        }
    }

    fn limit_burst(&mut self) {
        self.burst_end = self.flight + self.burst;
    }

    /// Adds a lost chunk, if there is one and it may be sent.
    fn resend(&mut self, now: Time, packet: &mut Packet) -> bool {
        if self.lost == 0 || !(self.is_urgent || self.may_send() || self.flight == 0) {
            return false;
        }
        let from = self.lost_from.saturating_sub(self.first) as usize;
        let found = self.sent.range(from..).position(|chunk| chunk.state == State::Lost);
        let index = from + found.expect("a chunk is lost");
        let tsn = self.first + index as u64;
        if !packet.add_data(self.sent[index].on_wire(tsn)) {
            return false;
        }
        self.lost_from = tsn + 1;
        self.lost -= 1;
        self.counters.retransmissions += 1;
        self.sent[index].state = State::InFlight;
        self.flight += u64::from(self.sent[index].bytes);
        if self.timed.is_some_and(|(timed, _)| timed == tsn) {
            self.timed = None; // An acknowledgement would not say which of the two it answers.
        }
        if index == 0 {
            self.timer.restart(now);
        }
        true
    }

    /// Cuts a chunk from the first message, if there is one and it may be sent.
    fn send_new(&mut self, now: Time, packet: &mut Packet) -> bool {
        let Some(message) = self.messages.front() else { return false };
        let bytes = message.left.min(u64::from(self.fragment));
        let has_room = self.flight + bytes <= self.peer_window || self.flight == 0;
        let waits =
            self.nagle && self.flight > 0 && self.unsent < u64::from(self.fragment) && !packet.has_data();
        if !self.may_send() || !has_room || waits {
            return false;
        }
        let chunk = message.chunk(bytes as u16);
        let tsn = self.first + self.sent.len() as u64;
        if !packet.add_data(chunk.on_wire(tsn)) {
            return false;
        }
        self.timed.get_or_insert((tsn, now));
        self.note_sent(chunk);
        true
    }

    fn note_sent(&mut self, chunk: SentChunk) {
        let bytes = u64::from(chunk.bytes);
        self.sent.push_back(chunk);
        self.unsent -= bytes;
        self.kept += bytes;
        self.flight += bytes;
        let message = self.messages.front_mut().expect("the chunk's message");
        message.begun = true;
        message.left -= bytes;
        if message.left == 0 {
            self.messages.pop_front();
        }
    }

    fn may_send(&self) -> bool {
        self.flight < self.congestion.window().min(self.burst_end)
    }

    /// Removes chunks up to the one that the receiver expects. Returns the bytes that it acknowledges for the first time.
    fn acknowledge_up_to(&mut self, now: Time, expected: u64) -> u64 {
        let mut bytes = 0;
        while self.first < expected {
            bytes += self.arrive(now, 0);
            let chunk = self.sent.pop_front().expect("only what was sent is acknowledged");
            self.kept -= u64::from(chunk.bytes);
            self.first += 1;
        }
        bytes
    }

    /// Notes chunks beyond gaps. Returns the bytes of those that are new, and the number after the highest of them.
    fn acknowledge_gaps(&mut self, now: Time, sack: &Sack) -> (u64, u64) {
        let (mut bytes, mut highest) = (0, 0);
        for gap in sack.gaps() {
            let start = (sack.expected - self.first) as usize + usize::from(gap.offset);
            for index in start..start + usize::from(gap.count) {
                let new = self.arrive(now, index);
                if new > 0 {
                    highest = self.first + index as u64 + 1;
                }
                bytes += new;
            }
        }
        (bytes, highest)
    }

    /// A chunk has arrived. Returns its bytes if that was not known.
    fn arrive(&mut self, now: Time, index: usize) -> u64 {
        let tsn = self.first + index as u64;
        let chunk = &mut self.sent[index];
        let bytes = u64::from(chunk.bytes);
        match std::mem::replace(&mut chunk.state, State::Arrived) {
            State::Arrived => return 0,
            State::InFlight => self.flight -= bytes,
            State::Lost => self.lost -= 1,
        }
        if let Some((_, sent)) = self.timed.take_if(|(timed, _)| *timed == tsn) {
            self.timer.measure(now.since(sent));
        }
        bytes
    }

    /// Chunks below `highest` that are in flight were missed by one more report.
    fn count_misses(&mut self, highest: u64) {
        let below = (highest.saturating_sub(self.first) as usize).min(self.sent.len());
        let mut loses = false;
        for index in 0..below {
            let chunk = &mut self.sent[index];
            chunk.misses += u8::from(chunk.state == State::InFlight && chunk.misses < MISSES);
            if chunk.misses == MISSES && chunk.state == State::InFlight && !chunk.was_resent {
                chunk.was_resent = true;
                self.lose(index);
                loses = true;
            }
        }
        if loses {
            let begins = self.congestion.on_loss(self.first + self.sent.len() as u64);
            self.is_urgent |= begins;
            self.counters.fast_retransmits += u64::from(begins);
        }
    }

    fn lose(&mut self, index: usize) {
        let tsn = self.first + index as u64;
        let chunk = &mut self.sent[index];
        if chunk.state == State::InFlight {
            chunk.state = State::Lost;
            self.flight -= u64::from(chunk.bytes);
            self.lost_from = if self.lost == 0 { tsn } else { self.lost_from.min(tsn) };
            self.lost += 1;
        }
    }
}

impl UnsentMessage {
    /// Its next chunk.
    fn chunk(&self, bytes: u16) -> SentChunk {
        SentChunk {
            message: self.number,
            lane: self.lane,
            bytes,
            first: !self.begun,
            last: u64::from(bytes) == self.left,
            state: State::InFlight,
            misses: 0,
            was_resent: false,
        }
    }
}

impl SentChunk {
    fn on_wire(&self, tsn: u64) -> DataChunk {
        let SentChunk { message, lane, bytes, first, last, .. } = *self;
        DataChunk { tsn, message, lane, bytes, first, last }
    }
}

/// The number after the highest chunk that a SACK reports beyond a gap.
fn highest(sack: &Sack) -> u64 {
    sack.gaps().last().map_or(0, |gap| sack.expected + u64::from(gap.offset) + u64::from(gap.count))
}
