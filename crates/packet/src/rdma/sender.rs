//! Messages into packets, and packets again after a loss.

use std::collections::VecDeque;

use mpirage_units::{Duration, Time};

use super::header::{RdmaHeader, RdmaKind};
use super::settings::RdmaSettings;
use crate::endpoint::{Failure, Segment};

/// A packet that has not been acknowledged.
#[derive(Clone, Copy, Debug)]
struct Packet {
    bytes: u32,
    first: bool,
    last: bool,
}

/// The sending half of a queue pair.
#[derive(Debug)]
pub(super) struct Sender {
    settings: RdmaSettings,
    /// What is left of the messages that are not all in packets. The first of them may have begun.
    messages: VecDeque<u64>,
    begun: bool,
    /// Packets that have not been acknowledged; the first has the number `base`.
    packets: VecDeque<Packet>,
    base: u64,
    /// The packet that is sent next.
    next: u64,
    deadline: Option<Time>,
    timeouts: u32,
    failure: Option<Failure>,
}

impl Sender {
    pub(super) fn new(settings: &RdmaSettings) -> Sender {
        Sender {
            settings: *settings,
            messages: VecDeque::new(),
            begun: false,
            packets: VecDeque::new(),
            base: 0,
            next: 0,
            deadline: None,
            timeouts: 0,
            failure: None,
        }
    }

    /// A message of so many bytes is to be sent.
    pub(super) fn write(&mut self, bytes: u64) {
        self.messages.push_back(bytes);
    }

    /// Is there a packet to send, as far as the limit of packets allows?
    pub(super) fn has_packet(&self) -> bool {
        let again = self.next < self.base + self.packets.len() as u64;
        let more =
            !self.messages.is_empty() && self.packets.len() < self.settings.outstanding.max(1) as usize;
        self.failure.is_none() && (again || more)
    }

    /// The next packet.
    pub(super) fn transmit(&mut self, now: Time) -> Option<Segment<RdmaHeader>> {
        if !self.has_packet() {
            return None;
        }
        let at = (self.next - self.base) as usize;
        if at == self.packets.len() {
            let packet = self.cut()?;
            self.packets.push_back(packet);
        }
        let Packet { bytes, first, last } = self.packets[at];
        let header = RdmaHeader { kind: RdmaKind::Data { first, last }, number: self.next };
        self.next += 1;
        if self.deadline.is_none() {
            self.set_deadline(now);
        }
        let headers = &self.settings.headers;
        let header_bytes = headers.packet + if first { headers.first } else { 0 };
        let markable = self.settings.congestion.is_some();
        Some(Segment { header, payload: bytes, header_bytes, markable })
    }

    /// Cuts a packet off the first message.
    fn cut(&mut self) -> Option<Packet> {
        let left = self.messages.front_mut()?;
        let bytes = (*left).min(self.settings.mtu.max(1).into());
        *left -= bytes;
        let last = *left == 0;
        let first = !std::mem::replace(&mut self.begun, !last);
        if last {
            self.messages.pop_front();
        }
        Some(Packet { bytes: bytes as u32, first, last })
    }

    /// All packets before that number have arrived.
    pub(super) fn acknowledge(&mut self, now: Time, number: u64) {
        if number <= self.base {
            return;
        }
        let arrived = (number - self.base).min(self.packets.len() as u64);
        self.packets.drain(..arrived as usize);
        self.base += arrived;
        self.next = self.next.max(self.base);
        self.timeouts = 0;
        self.set_deadline(now);
    }

    /// The packet with that number has not arrived: it and all after it are sent again.
    pub(super) fn go_back(&mut self, now: Time, number: u64) {
        self.acknowledge(now, number);
        if number >= self.base {
            self.next = self.next.min(number);
        }
    }

    fn set_deadline(&mut self, now: Time) {
        let waits = self.next > self.base;
        self.deadline = self.settings.timeout.filter(|_| waits).map(|timeout: Duration| now + timeout);
    }

    /// When it sends again what has not been acknowledged.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Time passes: the deadline may have come.
    pub(super) fn on_timeout(&mut self, now: Time) {
        if self.deadline.is_none_or(|deadline| deadline > now) {
            return;
        }
        self.timeouts += 1;
        self.deadline = None;
        if self.timeouts > self.settings.retries {
            self.failure = Some(Failure::Retransmissions(self.settings.retries));
        }
        self.next = self.base;
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure
    }
}
