//! Messages into packets, and packets again after a loss.

use std::collections::VecDeque;
use std::sync::Arc;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::header::{RdmaHeader, RdmaKind};
use super::settings::RdmaSettings;
use crate::endpoint::{EndState, Failure, Segment};

/// A message that has not been acknowledged. Its packets follow from its size.
#[derive(Clone, Copy, Debug)]
struct UnacknowledgedMessage {
    /// The number of its first packet.
    start: u64,
    /// The number after that of its last packet.
    end: u64,
    bytes: u64,
}

/// The sending half of a queue pair.
#[derive(Debug)]
pub(super) struct Sender {
    settings: Arc<RdmaSettings>,
    /// Messages that have not been acknowledged, and which of them is being sent.
    messages: VecDeque<UnacknowledgedMessage>,
    at: usize,
    /// The first packet that has not been acknowledged.
    base: u64,
    /// The packet that is sent next.
    next: u64,
    /// The packet after the last one that was ever sent.
    sent: u64,
    /// The packet after the last one that is known.
    end: u64,
    deadline: Option<Time>,
    timeouts: u32,
    failure: Option<Failure>,
    counts: ConnectionCounts,
}

impl Sender {
    pub(super) fn new(settings: &Arc<RdmaSettings>) -> Sender {
        Sender {
            settings: settings.clone(),
            messages: VecDeque::new(),
            at: 0,
            base: 0,
            next: 0,
            sent: 0,
            end: 0,
            deadline: None,
            timeouts: 0,
            failure: None,
            counts: ConnectionCounts::default(),
        }
    }

    /// A message of so many bytes is to be sent.
    pub(super) fn write(&mut self, bytes: u64) {
        let start = self.end;
        self.end += bytes.div_ceil(self.settings.mtu.max(1).into()).max(1);
        self.messages.push_back(UnacknowledgedMessage { start, end: self.end, bytes });
    }

    /// Is there a packet to send, as far as the limit of packets allows?
    pub(super) fn has_packet(&self) -> bool {
        let most = self.base + u64::from(self.settings.outstanding.max(1));
        self.next < self.end.min(most) && self.failure.is_none()
    }

    /// The next packet.
    pub(super) fn transmit(&mut self, now: Time) -> Option<Segment<RdmaHeader>> {
        if !self.has_packet() {
            return None;
        }
        let UnacknowledgedMessage { start, end, bytes } = self.messages[self.at];
        let number = self.next;
        let (first, last) = (number == start, number + 1 == end);
        let mtu = u64::from(self.settings.mtu.max(1));
        let payload = mtu.min(bytes - (number - start) * mtu) as u32;
        self.next += 1;
        self.counts.segments += 1;
        self.counts.retransmissions += u64::from(number < self.sent);
        self.sent = self.sent.max(self.next);
        self.at += usize::from(last);
        if self.deadline.is_none() {
            self.set_deadline(now);
        }
        let headers = &self.settings.headers;
        let header_bytes = headers.packet + if first { headers.first } else { 0 };
        let header = RdmaHeader { kind: RdmaKind::Data { first, last }, number };
        Some(Segment { header, payload, header_bytes, markable: self.settings.congestion.is_some() })
    }

    /// All packets before that number have arrived.
    pub(super) fn acknowledge(&mut self, now: Time, number: u64) {
        let number = number.min(self.sent);
        if number <= self.base {
            return;
        }
        self.base = number;
        while self.messages.front().is_some_and(|message| message.end <= number) {
            self.messages.pop_front();
            self.at = self.at.saturating_sub(1);
        }
        self.continue_from(self.next.max(number));
        self.timeouts = 0;
        self.set_deadline(now);
    }

    /// The packet with that number has not arrived: it and all after it are sent again.
    pub(super) fn go_back(&mut self, now: Time, number: u64) {
        self.acknowledge(now, number);
        if number >= self.base && number < self.next {
            self.counts.fast_retransmits += 1;
            self.continue_from(number);
        }
    }

    /// The packet with that number is sent next; it is not before `base`.
    fn continue_from(&mut self, number: u64) {
        if number < self.next {
            self.at = 0;
        }
        self.next = number;
        while self.messages.get(self.at).is_some_and(|message| message.end <= number) {
            self.at += 1;
        }
    }

    /// The timer runs while an acknowledgement is due. Receivers answer to the last packet of a message, and to every so many packets: a
    /// sender that its rate slows down can be in the middle of a message for longer than the timeout, and the receiver does not answer before the end.
    fn set_deadline(&mut self, now: Time) {
        let due = self.is_answer_due();
        self.deadline = self.settings.timeout.filter(|_| due).map(|timeout: Duration| now + timeout);
    }

    fn is_answer_due(&self) -> bool {
        let ended = self.messages.front().is_some_and(|message| message.end <= self.next);
        ended || self.next - self.base >= u64::from(self.settings.acknowledged_at_once())
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
        self.counts.timeouts += 1;
        self.deadline = None;
        if self.timeouts > self.settings.retries {
            self.failure = Some(Failure::Retransmissions(self.settings.retries));
        }
        self.continue_from(self.base);
    }

    pub(super) fn counts(&self) -> &ConnectionCounts {
        &self.counts
    }

    /// The limit of packets stands for a window, in bytes.
    pub(super) fn state(&self) -> EndState {
        let mtu = u64::from(self.settings.mtu);
        EndState {
            window: u64::from(self.settings.outstanding) * mtu,
            threshold: u64::MAX,
            round_trip: 0.0,
            in_flight: (self.next - self.base) * mtu,
        }
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure
    }
}
